<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AddDialog</name>
    <message>
        <source>Add a memory</source>
        <translation>Erinnerung hinzufügen</translation>
    </message>
    <message>
        <source>Text of the memory</source>
        <translation>Text der Erinnerung</translation>
    </message>
    <message>
        <source>One fact, in a full sentence: it is found by its words and by its meaning.</source>
        <translation>Eine Tatsache in einem ganzen Satz: Sie wird über ihre Wörter und über ihre Bedeutung gefunden.</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>OwnSona is still working on your last change. Quit all the same?</source>
        <translation>OwnSona arbeitet noch an Ihrer letzten Änderung. Trotzdem beenden?</translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation>OwnSona beenden</translation>
    </message>
    <message>
        <source>Earlier change</source>
        <translation>Frühere Änderung</translation>
    </message>
    <message>
        <source>OwnSona stays here and keeps serving your assistants. Quit it from this menu.</source>
        <translation>OwnSona bleibt hier und ist weiter für Ihre Assistenten da. Beenden können Sie es in diesem Menü.</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>BulkPanel</name>
    <message>
        <source>Take a tag away</source>
        <translation>Schlagwort entfernen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories chosen</source>
        <translation>
            <numerusform>%Ln Erinnerung gewählt</numerusform>
            <numerusform>%Ln Erinnerungen gewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %Ln memories</source>
        <translation>
            <numerusform>%Ln Erinnerung ändern</numerusform>
            <numerusform>%Ln Erinnerungen ändern</numerusform>
        </translation>
    </message>
    <message>
        <source>(several)</source>
        <translation>(verschiedene)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Tags: %1
Source: %2</source>
        <translation>Schlagwörter: %1
Quelle: %2</translation>
    </message>
    <message>
        <source>(of the first %1)</source>
        <translation>(der ersten %1)</translation>
    </message>
    <message>
        <source>Add tags</source>
        <translation>Schlagwörter hinzufügen</translation>
    </message>
    <message>
        <source>Take tags away</source>
        <translation>Schlagwörter entfernen</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>What you do not touch stays as it is in each memory.</source>
        <translation>Was Sie nicht anfassen, bleibt in jeder Erinnerung, wie es ist.</translation>
    </message>
</context>
<context>
    <name>Client</name>
    <message>
        <source>OwnSona’s server does not answer. It is started again by itself; try again in a moment.</source>
        <translation>Der Server von OwnSona antwortet nicht. Er wird von selbst neu gestartet; versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>The server and this app do not understand each other: one is older. Quit OwnSona, then start it again.</source>
        <translation>Der Server und dieses Programm verstehen einander nicht, denn eines ist älter. Beenden Sie OwnSona und starten Sie es neu.</translation>
    </message>
    <message>
        <source>The server refused with status %1.</source>
        <translation>Der Server hat mit dem Status %1 abgelehnt.</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Add memory…</source>
        <translation>Erinnerung hinzufügen …</translation>
    </message>
    <message>
        <source>Edit text</source>
        <translation>Text bearbeiten</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Bestätigen</translation>
    </message>
    <message>
        <source>It is still true</source>
        <translation>Es stimmt noch</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Assistants cannot change, expire or forget it</source>
        <translation>Assistenten können sie weder ändern noch ablaufen lassen noch vergessen</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
    <message>
        <source>Add tags…</source>
        <translation>Schlagwörter hinzufügen …</translation>
    </message>
    <message>
        <source>Take tags away…</source>
        <translation>Schlagwörter entfernen …</translation>
    </message>
    <message>
        <source>Find and replace…</source>
        <translation>Suchen und ersetzen …</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>Copy texts</source>
        <translation>Texte kopieren</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Invert selection</source>
        <translation>Auswahl umkehren</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Go to the table</source>
        <translation>Zur Tabelle</translation>
    </message>
    <message>
        <source>Go to the sidebar</source>
        <translation>Zur Seitenleiste</translation>
    </message>
    <message>
        <source>Keep this search…</source>
        <translation>Diese Suche merken …</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Show the editor</source>
        <translation>Bearbeitung zeigen</translation>
    </message>
    <message>
        <source>Editor below the table</source>
        <translation>Bearbeitung unter der Tabelle</translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Similar memories</source>
        <translation>Ähnliche Erinnerungen</translation>
    </message>
    <message>
        <source>Undo this change</source>
        <translation>Diese Änderung zurücknehmen</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>Ähnliche</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>Geschrieben von</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>How</source>
        <translation>Wie</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>Bestätigt</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Benutzt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln times</source>
        <translation>
            <numerusform>%Ln-mal</numerusform>
            <numerusform>%Ln-mal</numerusform>
        </translation>
    </message>
    <message>
        <source>In the trash since</source>
        <translation>Im Papierkorb seit</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Replaced by</source>
        <translation>Ersetzt durch</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Nummer</translation>
    </message>
    <message>
        <source>Open it with a double click</source>
        <translation>Mit einem Doppelklick öffnen</translation>
    </message>
    <message>
        <source>No other memory says nearly the same.</source>
        <translation>Keine andere Erinnerung sagt fast dasselbe.</translation>
    </message>
    <message>
        <source>Undo an earlier change</source>
        <translation>Frühere Änderung zurücknehmen</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>remembered</source>
        <translation>gemerkt</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>found and replaced</source>
        <translation>gesucht und ersetzt</translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation>bestätigt</translation>
    </message>
    <message>
        <source>moved to trash</source>
        <translation>in den Papierkorb gelegt</translation>
    </message>
    <message>
        <source>forgotten</source>
        <translation>vergessen</translation>
    </message>
    <message>
        <source>restored</source>
        <translation>wiederhergestellt</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>zusammengeführt</translation>
    </message>
    <message>
        <source>undone</source>
        <translation>zurückgenommen</translation>
    </message>
    <message>
        <source>%1 (taken back)</source>
        <translation>%1 (zurückgenommen)</translation>
    </message>
    <message>
        <source>Unlocked</source>
        <translation>Entsperrt</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
</context>
<context>
    <name>Editor</name>
    <message>
        <source>Choose a memory to see and change it.</source>
        <translation>Wählen Sie eine Erinnerung, um sie zu sehen und zu ändern.</translation>
    </message>
</context>
<context>
    <name>EraseDialog</name>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln memories for good?</source>
        <translation>
            <numerusform>%Ln Erinnerung endgültig löschen?</numerusform>
            <numerusform>%Ln Erinnerungen endgültig löschen?</numerusform>
        </translation>
    </message>
    <message>
        <source>This cannot be undone. Their texts also vanish from the journal. Backups that were made before still hold them.</source>
        <translation>Das lässt sich nicht zurücknehmen. Die Texte verschwinden auch aus dem Journal. Frühere Sicherungen enthalten sie noch.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln memories</source>
        <translation>
            <numerusform>%Ln Erinnerung löschen</numerusform>
            <numerusform>%Ln Erinnerungen löschen</numerusform>
        </translation>
    </message>
    <message>
        <source>Type the number %1 to go on:</source>
        <translation>Geben Sie zum Fortfahren die Zahl %1 ein:</translation>
    </message>
</context>
<context>
    <name>ExpiryField</name>
    <message>
        <source>On a certain day</source>
        <translation>An einem bestimmten Tag</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Expires on</source>
        <translation>Läuft ab am</translation>
    </message>
</context>
<context>
    <name>ImportanceField</name>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>OwnSona Desktop</source>
        <translation>OwnSona Desktop</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation>&amp;Erinnerung</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation>OwnSona beenden</translation>
    </message>
    <message>
        <source>Show the log files</source>
        <translation>Protokolldateien zeigen</translation>
    </message>
    <message>
        <source>Keyboard and search</source>
        <translation>Tastatur und Suche</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>OwnSona’s server has stopped and is being started again. What you see may be older.</source>
        <translation>Der Server von OwnSona hat angehalten und wird neu gestartet. Was Sie sehen, kann älter sein.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Undone: %1</source>
        <translation>Zurückgenommen: %1</translation>
    </message>
    <message>
        <source>Done again: %1</source>
        <translation>Wiederholt: %1</translation>
    </message>
</context>
<context>
    <name>MemoriesPage</name>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>%1 chosen</source>
        <translation>%1 gewählt</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>%1 gefunden</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>%1 insgesamt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln texts copied.</source>
        <translation>
            <numerusform>%Ln Text kopiert.</numerusform>
            <numerusform>%Ln Texte kopiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
    <message>
        <source>The search cannot be understood</source>
        <translation>Die Suche ist nicht zu verstehen</translation>
    </message>
    <message>
        <source>What you delete stays here until you delete it for good.</source>
        <translation>Was Sie löschen, bleibt hier, bis Sie es endgültig löschen.</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>Der Papierkorb ist leer</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>Nach Bedeutung suchen</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>OwnSona keeps what your AI assistants remember about you, on this computer alone. Connect an assistant, and what it remembers appears here; or write the first memory yourself.</source>
        <translation>OwnSona bewahrt auf, was Ihre KI-Assistenten über Sie wissen, allein auf diesem Computer. Verbinden Sie einen Assistenten, dann erscheint hier, was er sich merkt; oder schreiben Sie die erste Erinnerung selbst.</translation>
    </message>
    <message>
        <source>Connect an assistant…</source>
        <translation>Assistenten verbinden …</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Einlesen …</translation>
    </message>
    <message>
        <source>Add a memory…</source>
        <translation>Erinnerung hinzufügen …</translation>
    </message>
    <message>
        <source>No memories yet</source>
        <translation>Noch keine Erinnerungen</translation>
    </message>
    <message>
        <source>The memories cannot be shown</source>
        <translation>Die Erinnerungen können nicht gezeigt werden</translation>
    </message>
    <message>
        <source>OwnSona’s server is not running</source>
        <translation>Der Server von OwnSona läuft nicht</translation>
    </message>
    <message>
        <source>Your memories are safe on the disk.</source>
        <translation>Ihre Erinnerungen liegen sicher auf der Platte.</translation>
    </message>
    <message>
        <source>It was stopped. Your memories are safe on the disk.</source>
        <translation>Er wurde angehalten. Ihre Erinnerungen liegen sicher auf der Platte.</translation>
    </message>
    <message>
        <source>Start it</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>The server is being started.</source>
        <translation>Der Server wird gestartet.</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Start …</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>does not work</source>
        <translation>geht nicht</translation>
    </message>
</context>
<context>
    <name>MemoryEditor</name>
    <message>
        <source>Text of the memory</source>
        <translation>Text der Erinnerung</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Bestätigen</translation>
    </message>
    <message>
        <source>It is still true: sets the date of confirmation to now</source>
        <translation>Es stimmt noch: setzt das Datum der Bestätigung auf jetzt</translation>
    </message>
    <message>
        <source>Assistants cannot change, expire or forget a locked memory</source>
        <translation>Assistenten können eine gesperrte Erinnerung weder ändern noch ablaufen lassen noch vergessen</translation>
    </message>
    <message>
        <source>Not saved: a memory needs a text. Press Esc to get the old one back, or move it to the trash.</source>
        <translation>Nicht gespeichert: Eine Erinnerung braucht einen Text. Esc holt den alten zurück; oder legen Sie sie in den Papierkorb.</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Speichert …</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>Changed meanwhile</source>
        <translation>Inzwischen geändert</translation>
    </message>
    <message>
        <source>This memory was changed while you edited it. Which text shall stay?</source>
        <translation>Diese Erinnerung wurde geändert, während Sie sie bearbeitet haben. Welcher Text soll bleiben?</translation>
    </message>
    <message>
        <source>It now says: %1</source>
        <translation>Sie lautet jetzt: %1</translation>
    </message>
    <message>
        <source>Mine</source>
        <translation>Meiner</translation>
    </message>
    <message>
        <source>The other one</source>
        <translation>Der andere</translation>
    </message>
</context>
<context>
    <name>MemoryTable</name>
    <message>
        <source>Memory</source>
        <translation>Erinnerung</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>Bestätigt</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Usefulness</source>
        <translation>Nutzen</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Benutzt</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
</context>
<context>
    <name>MemoryView</name>
    <message>
        <source>Memories</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories moved to trash.</source>
        <translation>
            <numerusform>%Ln Erinnerung in den Papierkorb gelegt.</numerusform>
            <numerusform>%Ln Erinnerungen in den Papierkorb gelegt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories restored.</source>
        <translation>
            <numerusform>%Ln Erinnerung wiederhergestellt.</numerusform>
            <numerusform>%Ln Erinnerungen wiederhergestellt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Bestätigen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories confirmed.</source>
        <translation>
            <numerusform>%Ln Erinnerung bestätigt.</numerusform>
            <numerusform>%Ln Erinnerungen bestätigt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories deleted for good.</source>
        <translation>
            <numerusform>%Ln Erinnerung endgültig gelöscht.</numerusform>
            <numerusform>%Ln Erinnerungen endgültig gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Sperren</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories locked.</source>
        <translation>
            <numerusform>%Ln Erinnerung gesperrt.</numerusform>
            <numerusform>%Ln Erinnerungen gesperrt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories unlocked.</source>
        <translation>
            <numerusform>%Ln Erinnerung entsperrt.</numerusform>
            <numerusform>%Ln Erinnerungen entsperrt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories changed.</source>
        <translation>
            <numerusform>%Ln Erinnerung geändert.</numerusform>
            <numerusform>%Ln Erinnerungen geändert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Memory added.</source>
        <translation>Erinnerung hinzugefügt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln were left as they are.</source>
        <translation>
            <numerusform>%Ln blieb, wie sie ist.</numerusform>
            <numerusform>%Ln blieben, wie sie sind.</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Memories</source>
        <translation>Erinnerungen</translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message>
        <source>Find and replace</source>
        <translation>Suchen und ersetzen</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen nach</translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation>Ersetzen durch</translation>
    </message>
    <message>
        <source>In</source>
        <translation>In</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texten</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chosen memories</source>
        <translation>
            <numerusform>%Ln gewählte Erinnerung</numerusform>
            <numerusform>%Ln gewählte Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %Ln found memories</source>
        <translation>
            <numerusform>die %Ln gefundene Erinnerung</numerusform>
            <numerusform>alle %Ln gefundenen Erinnerungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>Match capitals</source>
        <translation>Groß und klein unterscheiden</translation>
    </message>
    <message>
        <source>What would change</source>
        <translation>Was sich ändern würde</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories would change.</source>
        <translation>
            <numerusform>%Ln Erinnerung würde sich ändern.</numerusform>
            <numerusform>%Ln Erinnerungen würden sich ändern.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories changed.</source>
        <translation>
            <numerusform>%Ln Erinnerung geändert.</numerusform>
            <numerusform>%Ln Erinnerungen geändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Replace in %Ln memories</source>
        <translation>
            <numerusform>In %Ln Erinnerung ersetzen</numerusform>
            <numerusform>In %Ln Erinnerungen ersetzen</numerusform>
        </translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
</context>
<context>
    <name>SaveSearchDialog</name>
    <message>
        <source>Keep this search</source>
        <translation>Diese Suche merken</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Merken</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search memories</source>
        <translation>Erinnerungen durchsuchen</translation>
    </message>
    <message>
        <source>Search: words, &quot;a phrase&quot;, tag:work, is:locked, before:2026-10 …</source>
        <translation>Suchen: Wörter, &quot;ein Satzteil&quot;, tag:arbeit, is:locked, before:2026-10 …</translation>
    </message>
    <message>
        <source>Press F1 for all that can be looked for</source>
        <translation>F1 zeigt alles, wonach sich suchen lässt</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Keep this search…</source>
        <translation>Diese Suche merken …</translation>
    </message>
    <message>
        <source>How to search</source>
        <translation>Wie gesucht wird</translation>
    </message>
    <message>
        <source>By words</source>
        <translation>Nach Wörtern</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>Nach Bedeutung</translation>
    </message>
    <message>
        <source>By words finds what is written; by meaning also finds what says the same in other words</source>
        <translation>Nach Wörtern findet, was dasteht; nach Bedeutung auch, was dasselbe anders sagt</translation>
    </message>
</context>
<context>
    <name>Server</name>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>Braucht Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Not running</source>
        <translation>Läuft nicht</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>Datenbank</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Sprachmodell</translation>
    </message>
    <message>
        <source>OwnSona’s server cannot start here.</source>
        <translation>Der Server von OwnSona kann hier nicht starten.</translation>
    </message>
    <message>
        <source>OwnSona’s server does not answer. The computer may be very busy, or the server hangs: restart OwnSona if this stays.</source>
        <translation>Der Server von OwnSona antwortet nicht. Vielleicht ist der Computer stark beschäftigt, oder der Server hängt: Starten Sie OwnSona neu, wenn das so bleibt.</translation>
    </message>
    <message>
        <source>OwnSona’s server keeps stopping soon after its start. Its log says why; then try again.</source>
        <translation>Der Server von OwnSona hält kurz nach dem Start immer wieder an. Sein Protokoll sagt, warum; versuchen Sie es danach noch einmal.</translation>
    </message>
    <message>
        <source>A part of OwnSona does not work. Its log says why.</source>
        <translation>Ein Teil von OwnSona geht nicht. Sein Protokoll sagt, warum.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard and search</source>
        <translation>Tastatur und Suche</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was es tut</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Editor and sidebar</source>
        <translation>Bearbeitung und Seitenleiste</translation>
    </message>
    <message>
        <source>Save the text</source>
        <translation>Text speichern</translation>
    </message>
    <message>
        <source>Get the stored text back</source>
        <translation>Gespeicherten Text zurückholen</translation>
    </message>
    <message>
        <source>Add a line of the sidebar to the search</source>
        <translation>Eine Zeile der Seitenleiste zur Suche nehmen</translation>
    </message>
    <message>
        <source>Ctrl+click</source>
        <translation>Strg+Klick</translation>
    </message>
    <message>
        <source>Either this line or the last term</source>
        <translation>Diese Zeile oder der letzte Begriff</translation>
    </message>
    <message>
        <source>Shift+click</source>
        <translation>Umschalt+Klick</translation>
    </message>
    <message>
        <source>Leave out what a line shows</source>
        <translation>Auslassen, was eine Zeile zeigt</translation>
    </message>
    <message>
        <source>Alt+click</source>
        <translation>Alt+Klick</translation>
    </message>
    <message>
        <source>In the search box</source>
        <translation>Im Suchfeld</translation>
    </message>
    <message>
        <source>Both words, each at the beginning of a word</source>
        <translation>Beide Wörter, jedes am Anfang eines Wortes</translation>
    </message>
    <message>
        <source>These words in a row</source>
        <translation>Diese Wörter hintereinander</translation>
    </message>
    <message>
        <source>A tag, a source, a program, a conversation</source>
        <translation>Ein Schlagwort, eine Quelle, ein Programm, ein Gespräch</translation>
    </message>
    <message>
        <source>A state</source>
        <translation>Ein Zustand</translation>
    </message>
    <message>
        <source>A time</source>
        <translation>Eine Zeit</translation>
    </message>
    <message>
        <source>Importance, a number</source>
        <translation>Wichtigkeit, eine Nummer</translation>
    </message>
    <message>
        <source>Not this; one of the two</source>
        <translation>Dies nicht; eines von beiden</translation>
    </message>
</context>
<context>
    <name>SidebarTree</name>
    <message>
        <source>All memories</source>
        <translation>Alle Erinnerungen</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>Without tags</source>
        <translation>Ohne Schlagwort</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>Gemerkte Suchen</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
</context>
<context>
    <name>SidebarView</name>
    <message>
        <source>Sidebar</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Add to the search (Ctrl+click)</source>
        <translation>Zur Suche nehmen (Strg+Klick)</translation>
    </message>
    <message>
        <source>Either this or the last term (Shift+click)</source>
        <translation>Dies oder den letzten Begriff (Umschalt+Klick)</translation>
    </message>
    <message>
        <source>Leave out (Alt+click)</source>
        <translation>Auslassen (Alt+Klick)</translation>
    </message>
    <message>
        <source>Forget this search</source>
        <translation>Diese Suche vergessen</translation>
    </message>
</context>
<context>
    <name>TagEditor</name>
    <message>
        <source>Add a tag</source>
        <translation>Schlagwort hinzufügen</translation>
    </message>
    <message>
        <source>Take this tag away</source>
        <translation>Dieses Schlagwort entfernen</translation>
    </message>
    <message>
        <source>Take away the tag %1</source>
        <translation>Schlagwort %1 entfernen</translation>
    </message>
</context>
<context>
    <name>TagsDialog</name>
    <message>
        <source>Add tags</source>
        <translation>Schlagwörter hinzufügen</translation>
    </message>
    <message>
        <source>Take tags away</source>
        <translation>Schlagwörter entfernen</translation>
    </message>
    <message numerus="yes">
        <source>Tags for %Ln memories:</source>
        <translation>
            <numerusform>Schlagwörter für %Ln Erinnerung:</numerusform>
            <numerusform>Schlagwörter für %Ln Erinnerungen:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags to take away from %Ln memories:</source>
        <translation>
            <numerusform>Schlagwörter, die aus %Ln Erinnerung entfernt werden:</numerusform>
            <numerusform>Schlagwörter, die aus %Ln Erinnerungen entfernt werden:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Change %Ln memories</source>
        <translation>
            <numerusform>%Ln Erinnerung ändern</numerusform>
            <numerusform>%Ln Erinnerungen ändern</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message numerus="yes">
        <source>%Ln memories</source>
        <translation>
            <numerusform>%Ln Erinnerung</numerusform>
            <numerusform>%Ln Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln clients</source>
        <translation>
            <numerusform>%Ln Programm</numerusform>
            <numerusform>%Ln Programme</numerusform>
        </translation>
    </message>
    <message>
        <source>Open OwnSona</source>
        <translation>OwnSona öffnen</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>Add memory…</source>
        <translation>Erinnerung hinzufügen …</translation>
    </message>
    <message>
        <source>Review duplicates (%1)</source>
        <translation>Doppelte durchsehen (%1)</translation>
    </message>
    <message>
        <source>Pending approvals (%1)</source>
        <translation>Offene Anfragen (%1)</translation>
    </message>
    <message>
        <source>Connect a client…</source>
        <translation>Programm verbinden …</translation>
    </message>
    <message>
        <source>Export or back up…</source>
        <translation>Ausgeben oder sichern …</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Quit OwnSona</source>
        <translation>OwnSona beenden</translation>
    </message>
    <message>
        <source>Start the server</source>
        <translation>Server starten</translation>
    </message>
    <message>
        <source>Let assistants in again</source>
        <translation>Assistenten wieder zulassen</translation>
    </message>
    <message>
        <source>Pause for assistants</source>
        <translation>Für Assistenten pausieren</translation>
    </message>
    <message>
        <source>Copy the server’s address</source>
        <translation>Adresse des Servers kopieren</translation>
    </message>
</context>
</TS>
