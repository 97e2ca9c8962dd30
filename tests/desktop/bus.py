"""A desktop's side of the tray over D-Bus: a watcher that takes tray icons, a service that takes notices, and a reader of both."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

T = TypeVar("T")
WATCHER, NOTICES = "org.kde.StatusNotifierWatcher", "org.freedesktop.Notifications"
ITEM, MENU, PROPERTIES = "org.kde.StatusNotifierItem", "com.canonical.dbusmenu", "org.freedesktop.DBus.Properties"
PATIENCE = 20.0


class Desktop:
    """Runs in a thread of its own. Methods may be called from the test's thread."""

    def __init__(self, address: str) -> None:
        self.items: list[str] = []  # names of tray icons on the bus
        self.notices: list[str] = []
        self.registered = threading.Event()
        self.noticed = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="desktop", daemon=True)
        self._thread.start()
        self._bus: MessageBus = self._run(self._connect(address))

    def close(self) -> None:
        """Leave the bus."""
        self._run(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def properties(self) -> dict[str, Any]:
        """What the tray icon says of itself."""
        found: dict[str, Variant] = self._call(self.items[-1], "/StatusNotifierItem", PROPERTIES, "GetAll", "s", [ITEM])[0]
        return {name: value.value for name, value in found.items()}

    def tool_tip(self) -> str:
        """Its title."""
        return str(self.properties()["ToolTip"][2])

    def picture(self) -> bytes:
        """The pixels of its first size."""
        return bytes(self.properties()["IconPixmap"][0][2])

    def menu(self) -> dict[str, tuple[int, bool]]:
        """Each line of the menu: its id, and whether it can be chosen. Opens it as a desktop does."""
        path = str(self.properties()["Menu"])
        self._call(self.items[-1], path, MENU, "AboutToShow", "i", [0])
        _revision, (_id, _properties, children) = self._call(self.items[-1], path, MENU, "GetLayout", "iias", [0, -1, []])
        lines = {}
        for child in children:
            number, properties, _ = child.value
            if "label" in properties:
                enabled = properties["enabled"].value if "enabled" in properties else True
                lines[str(properties["label"].value).replace("_", "")] = (int(number), bool(enabled))
        return lines

    def choose(self, words: str) -> None:
        """Click a line of the menu."""
        number, _ = self.menu()[words]
        path = str(self.properties()["Menu"])
        self._call(self.items[-1], path, MENU, "Event", "isvu", [number, "clicked", Variant("s", ""), 0])

    def _call(self, name: str, path: str, interface: str, member: str, signature: str, body: list[Any]) -> list[Any]:
        message = Message(destination=name, path=path, interface=interface, member=member, signature=signature, body=body)
        reply = self._run(self._bus.call(message))
        assert reply is not None
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return list(reply.body)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _connect(self, address: str) -> MessageBus:
        bus = await MessageBus(address).connect()
        bus.add_message_handler(self._answer)
        await bus.request_name(WATCHER)
        await bus.request_name(NOTICES)
        return bus

    async def _leave(self) -> None:
        self._bus.disconnect()
        await self._bus.wait_for_disconnect()

    def _answer(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        match message.member:
            case "RegisterStatusNotifierItem":
                self.items.append(message.sender if message.body[0].startswith("/") else message.body[0])
                self.registered.set()
                return Message.new_method_return(message)
            case "Get":
                values = {
                    "IsStatusNotifierHostRegistered": Variant("b", True),
                    "ProtocolVersion": Variant("i", 0),
                    "RegisteredStatusNotifierItems": Variant("as", self.items),
                }
                return Message.new_method_return(message, "v", [values[message.body[1]]])
            case "Notify":
                self.notices.append(str(message.body[4]))
                self.noticed.set()
                return Message.new_method_return(message, "u", [1])
            case "GetCapabilities":
                return Message.new_method_return(message, "as", [["body"]])
            case "GetServerInformation":
                return Message.new_method_return(message, "ssss", ["test", "test", "1", "1.2"])
        return None
