<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>BulkPanel</name>
    <message numerus="yes">
        <source>%n memories chosen</source>
        <translation>
            <numerusform>%n memory chosen</numerusform>
            <numerusform>%n memories chosen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %n memories</source>
        <translation>
            <numerusform>Change %n memory</numerusform>
            <numerusform>Change %n memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%n times</source>
        <translation>
            <numerusform>%n time</numerusform>
            <numerusform>%n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EraseDialog</name>
    <message numerus="yes">
        <source>Delete %n memories for good?</source>
        <translation>
            <numerusform>Delete %n memory for good?</numerusform>
            <numerusform>Delete %n memories for good?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n memories</source>
        <translation>
            <numerusform>Delete %n memory</numerusform>
            <numerusform>Delete %n memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoriesPage</name>
    <message numerus="yes">
        <source>%n texts copied.</source>
        <translation>
            <numerusform>%n text copied.</numerusform>
            <numerusform>%n texts copied.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message numerus="yes">
        <source>%n memories moved to trash.</source>
        <translation>
            <numerusform>%n memory moved to trash.</numerusform>
            <numerusform>%n memories moved to trash.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories restored.</source>
        <translation>
            <numerusform>%n memory restored.</numerusform>
            <numerusform>%n memories restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories confirmed.</source>
        <translation>
            <numerusform>%n memory confirmed.</numerusform>
            <numerusform>%n memories confirmed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories deleted for good.</source>
        <translation>
            <numerusform>%n memory deleted for good.</numerusform>
            <numerusform>%n memories deleted for good.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories locked.</source>
        <translation>
            <numerusform>%n memory locked.</numerusform>
            <numerusform>%n memories locked.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories unlocked.</source>
        <translation>
            <numerusform>%n memory unlocked.</numerusform>
            <numerusform>%n memories unlocked.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories changed.</source>
        <translation>
            <numerusform>%n memory changed.</numerusform>
            <numerusform>%n memories changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n were left as they are.</source>
        <translation>
            <numerusform>%n was left as it is.</numerusform>
            <numerusform>%n were left as they are.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message numerus="yes">
        <source>%n chosen memories</source>
        <translation>
            <numerusform>%n chosen memory</numerusform>
            <numerusform>%n chosen memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %n found memories</source>
        <translation>
            <numerusform>the %n found memory</numerusform>
            <numerusform>all %n found memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories would change.</source>
        <translation>
            <numerusform>%n memory would change.</numerusform>
            <numerusform>%n memories would change.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories changed.</source>
        <translation>
            <numerusform>%n memory changed.</numerusform>
            <numerusform>%n memories changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Replace in %n memories</source>
        <translation>
            <numerusform>Replace in %n memory</numerusform>
            <numerusform>Replace in %n memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TagsDialog</name>
    <message numerus="yes">
        <source>Tags for %n memories:</source>
        <translation>
            <numerusform>Tags for %n memory:</numerusform>
            <numerusform>Tags for %n memories:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags to take away from %n memories:</source>
        <translation>
            <numerusform>Tags to take away from %n memory:</numerusform>
            <numerusform>Tags to take away from %n memories:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %n memories</source>
        <translation>
            <numerusform>Change %n memory</numerusform>
            <numerusform>Change %n memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n memories</source>
        <translation>
            <numerusform>%n memory</numerusform>
            <numerusform>%n memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n clients</source>
        <translation>
            <numerusform>%n client</numerusform>
            <numerusform>%n clients</numerusform>
        </translation>
    </message>
</context>
</TS>
