"""Places in a folder that is held open: what a path cannot be swapped under.

Every operation takes the folder's descriptor and one name, never a path, and follows
no symbolic link: whoever renames or relinks folders meanwhile cannot move it.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
from dataclasses import dataclass

from pegboard import ToolError
from pegboard_files.refusals import missing, told

if os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd:
    raise ImportError(
        "pegboard-files needs a system that opens files relative to an open folder,"
        " such as Linux or macOS: without that nothing keeps a path inside its root"
    )

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe that took the file's place must not hold the thread.
_OPEN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ = os.O_RDONLY | _OPEN
_CHANGE = os.O_WRONLY | _OPEN
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open folder; the file need not exist.

    Attributes:
        folder: Descriptor of the folder; whoever made the place closes it.
        name: One name, no path; "." is the folder itself.
        path: The path as the model knows it.
    """

    folder: int
    name: str
    path: str

    def look(self) -> os.stat_result | None:
        """Return what is here, without following a link; None if nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self) -> io.BufferedReader:
        """Open a regular file for reading.

        Raises:
            ToolError: it does not exist, is no regular file, or may not be read.
        """
        with told(self.path):
            here = self.look()
            if here is None:
                raise missing(self.path, self.folder, self.name)
            self._check_regular(here)  # opening a device may already do something
            file = os.open(self.name, _READ, dir_fd=self.folder)
            try:
                self._check_regular(os.fstat(file))
                return open(file, "rb")
            except BaseException:
                os.close(file)
                raise

    def open_folder(self) -> int:
        """Return a descriptor of the folder that is here.

        Raises:
            ToolError: it does not exist, is no folder, or may not be read.
        """
        with told(self.path):
            here = self.look()
            if here is None:
                raise missing(self.path, self.folder, self.name)
            if not stat.S_ISDIR(here.st_mode):
                raise ToolError(f"{self.path!r} is no folder")
            return os.open(self.name, FOLDER, dir_fd=self.folder)

    def replace(self, data: bytes, *, seen: os.stat_result | None = None) -> bool:
        """Put a file here, whole or not at all; its permissions are kept.

        Args:
            data: All of the file.
            seen: What was read before; refused if something else is here by now.

        Returns:
            Whether there was none before.

        Raises:
            ToolError: something else than a writable regular file is here.
        """
        with told(self.path):
            here = self.look()
            if seen is not None and (here is None or _stamp(here) != _stamp(seen)):
                raise ToolError(
                    f"{self.path!r} was changed by somebody else meanwhile;"
                    " read it again",
                    retryable=True,
                )
            if here is not None:
                self._check_regular(here)
                # A rename would pass by the file's own permissions.
                os.close(os.open(self.name, _CHANGE, dir_fd=self.folder))
            self._write(data, here)
        return here is None

    def _write(self, data: bytes, before: os.stat_result | None) -> None:
        temporary = f".pegboard-{secrets.token_hex(8)}"
        mode = 0o666 if before is None else 0o600  # until it has the old owner's
        descriptor = os.open(temporary, _CREATE, mode, dir_fd=self.folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if before is not None:
                    with contextlib.suppress(PermissionError):
                        os.fchown(descriptor, before.st_uid, before.st_gid)
                    os.fchmod(descriptor, before.st_mode & 0o777)
                os.fsync(descriptor)
            folders = {"src_dir_fd": self.folder, "dst_dir_fd": self.folder}
            os.replace(temporary, self.name, **folders)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=self.folder)
            raise

    def _check_regular(self, here: os.stat_result) -> None:
        if stat.S_ISDIR(here.st_mode):
            raise ToolError(f"{self.path!r} is a folder; list it instead")
        if stat.S_ISLNK(here.st_mode):
            raise ToolError(f"{self.path!r} has just become a link; try again")
        if not stat.S_ISREG(here.st_mode):
            raise ToolError(f"{self.path!r} is a pipe, socket or device, not a file")


def _stamp(here: os.stat_result) -> tuple[int, ...]:
    return here.st_dev, here.st_ino, here.st_mtime_ns, here.st_size
