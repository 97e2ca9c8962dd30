<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AddDialog</name>
    <message>
        <source>Add a memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One fact, in a full sentence: it is found by its words and by its meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>OwnSona is still working on your last change. Quit all the same?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Earlier change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona stays here and keeps serving your assistants. Quit it from this menu.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BulkPanel</name>
    <message>
        <source>Take a tag away</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories chosen</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %n memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>(several)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags: %1
Source: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(of the first %1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take tags away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you do not touch stays as it is in each memory.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Client</name>
    <message>
        <source>OwnSona’s server does not answer. It is started again by itself; try again in a moment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server and this app do not understand each other: one is older. Quit OwnSona, then start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server refused with status %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Add memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is still true</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistants cannot change, expire or forget it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add tags…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take tags away…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find and replace…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invert selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep this search…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editor below the table</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Similar memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo this change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Origin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Similar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n times</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>In the trash since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replaced by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it with a double click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No other memory says nearly the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo an earlier change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (undone)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locked</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Editor</name>
    <message>
        <source>Choose a memory to see and change it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EraseDialog</name>
    <message>
        <source>Delete for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete %n memories for good?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>This cannot be undone. Their texts also vanish from the journal. Backups that were made before still hold them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete %n memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Type the number %1 to go on:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExpiryField</name>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires on</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportanceField</name>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>OwnSona Desktop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the log files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard and search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona’s server has stopped and is being started again. What you see may be older.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done again: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoriesPage</name>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n texts copied.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The search cannot be understood</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you delete stays here until you delete it for good.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona keeps what your AI assistants remember about you, on this computer alone. Connect an assistant, and what it remembers appears here; or write the first memory yourself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an assistant…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No memories yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The memories cannot be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona’s server is not running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was stopped. Your memories are safe on the disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server is being started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not work</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryEditor</name>
    <message>
        <source>Text of the memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is still true: sets the date of confirmation to now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistants cannot change, expire or forget a locked memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: a memory needs a text. Press Esc to get the old one back, or move it to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed meanwhile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This memory was changed while you edited it. Which text shall stay?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It now says: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The other one</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryTable</name>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Usefulness</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryView</name>
    <message>
        <source>Memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Move to trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories moved to trash.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories restored.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories confirmed.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories deleted for good.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories locked.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories unlocked.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories changed.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory added.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n were left as they are.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Memories</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message>
        <source>Find and replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n chosen memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %n found memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Match capitals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would change</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories would change.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories changed.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Replace in %n memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Replace</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SaveSearchDialog</name>
    <message>
        <source>Keep this search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search: words, &quot;a phrase&quot;, tag:work, is:locked, before:2026-10 …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press F1 for all that can be looked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep this search…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How to search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By words finds what is written; by meaning also finds what says the same in other words</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Server</name>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona’s server cannot start here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona’s server does not answer. The computer may be very busy, or the server hangs: restart OwnSona if this stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OwnSona’s server keeps stopping soon after its start. Its log says why; then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A part of OwnSona does not work. Its log says why.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard and search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editor and sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get the stored text back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a line of the sidebar to the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Either this line or the last term</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift+click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out what a line shows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt+click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the search box</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both words, each at the beginning of a word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These words in a row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tag, a source, a program, a conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance, a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not this; one of the two</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SidebarTree</name>
    <message>
        <source>All memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sources</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SidebarView</name>
    <message>
        <source>Sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add to the search (Ctrl+click)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Either this or the last term (Shift+click)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out (Alt+click)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget this search</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TagEditor</name>
    <message>
        <source>Add a tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take this tag away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take away the tag %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TagsDialog</name>
    <message>
        <source>Add tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take tags away</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Tags for %n memories:</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags to take away from %n memories:</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %n memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n memories</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n clients</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Open OwnSona</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review duplicates (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pending approvals (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a client…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export or back up…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let assistants in again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause for assistants</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the server’s address</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
