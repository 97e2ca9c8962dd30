<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>BulkPanel</name>
    <message numerus="yes">
        <source>%Ln memories chosen</source>
        <translation>
            <numerusform>%Ln memory chosen</numerusform>
            <numerusform>%Ln memories chosen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %Ln memories</source>
        <translation>
            <numerusform>Change %Ln memory</numerusform>
            <numerusform>Change %Ln memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%Ln times</source>
        <translation>
            <numerusform>%Ln time</numerusform>
            <numerusform>%Ln times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EraseDialog</name>
    <message numerus="yes">
        <source>Delete %Ln memories for good?</source>
        <translation>
            <numerusform>Delete %Ln memory for good?</numerusform>
            <numerusform>Delete %Ln memories for good?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln memories</source>
        <translation>
            <numerusform>Delete %Ln memory</numerusform>
            <numerusform>Delete %Ln memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoriesPage</name>
    <message numerus="yes">
        <source>%Ln texts copied.</source>
        <translation>
            <numerusform>%Ln text copied.</numerusform>
            <numerusform>%Ln texts copied.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message numerus="yes">
        <source>%Ln memories moved to trash.</source>
        <translation>
            <numerusform>%Ln memory moved to trash.</numerusform>
            <numerusform>%Ln memories moved to trash.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories restored.</source>
        <translation>
            <numerusform>%Ln memory restored.</numerusform>
            <numerusform>%Ln memories restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories confirmed.</source>
        <translation>
            <numerusform>%Ln memory confirmed.</numerusform>
            <numerusform>%Ln memories confirmed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories deleted for good.</source>
        <translation>
            <numerusform>%Ln memory deleted for good.</numerusform>
            <numerusform>%Ln memories deleted for good.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories locked.</source>
        <translation>
            <numerusform>%Ln memory locked.</numerusform>
            <numerusform>%Ln memories locked.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories unlocked.</source>
        <translation>
            <numerusform>%Ln memory unlocked.</numerusform>
            <numerusform>%Ln memories unlocked.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories changed.</source>
        <translation>
            <numerusform>%Ln memory changed.</numerusform>
            <numerusform>%Ln memories changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln were left as they are.</source>
        <translation>
            <numerusform>%Ln was left as it is.</numerusform>
            <numerusform>%Ln were left as they are.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message numerus="yes">
        <source>%Ln chosen memories</source>
        <translation>
            <numerusform>%Ln chosen memory</numerusform>
            <numerusform>%Ln chosen memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %Ln found memories</source>
        <translation>
            <numerusform>the %Ln found memory</numerusform>
            <numerusform>all %Ln found memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories would change.</source>
        <translation>
            <numerusform>%Ln memory would change.</numerusform>
            <numerusform>%Ln memories would change.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories changed.</source>
        <translation>
            <numerusform>%Ln memory changed.</numerusform>
            <numerusform>%Ln memories changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Replace in %Ln memories</source>
        <translation>
            <numerusform>Replace in %Ln memory</numerusform>
            <numerusform>Replace in %Ln memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TagsDialog</name>
    <message numerus="yes">
        <source>Tags for %Ln memories:</source>
        <translation>
            <numerusform>Tags for %Ln memory:</numerusform>
            <numerusform>Tags for %Ln memories:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags to take away from %Ln memories:</source>
        <translation>
            <numerusform>Tags to take away from %Ln memory:</numerusform>
            <numerusform>Tags to take away from %Ln memories:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %Ln memories</source>
        <translation>
            <numerusform>Change %Ln memory</numerusform>
            <numerusform>Change %Ln memories</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%Ln memories</source>
        <translation>
            <numerusform>%Ln memory</numerusform>
            <numerusform>%Ln memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln clients</source>
        <translation>
            <numerusform>%Ln client</numerusform>
            <numerusform>%Ln clients</numerusform>
        </translation>
    </message>
</context>
</TS>
