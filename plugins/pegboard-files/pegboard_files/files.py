"""The five tools, as the model sees them."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from typing import Annotated

from pydantic import Field

from pegboard import ToolContext, ToolError, ToolResult
from pegboard_files import editing, listing, reading
from pegboard_files.matching import compile_pattern
from pegboard_files.reading import Range
from pegboard_files.refusals import Progress, check_cancelled, told
from pegboard_files.roots import Roots
from pegboard_files.searching import Search
from pegboard_files.settings import Settings, name_roots
from pegboard_files.texts import UTF8, decode, encode, show
from pegboard_files.walking import Tour, find_files

FilePath = Annotated[str, Field(max_length=4_096)]
Pattern = Annotated[str, Field(min_length=1, max_length=1_000)]
Number = Annotated[int, Field(ge=1)]


class Files:
    """Files inside the roots that the settings name."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.roots = Roots(name_roots(settings.roots))

    def list_files(
        self,
        path: FilePath = ".",
        glob: Pattern | None = None,
        *,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """List what a folder holds, with sizes; or find files by name with a glob.

        Args:
            path: The folder, relative to the root.
            glob: Lists instead all files below the folder that match, for example
                "*.py", "docs/**/*.md" or "*.{js,ts}".
            context: The running call, if there is one.
        """
        limit = self.settings.max_entries
        if glob is None:
            with closing(listing.list_folder(self.roots, path)) as entries:
                return listing.render(entries, limit)
        tour = self._tour(context)
        matching = listing.find_matching(self.roots, path, glob, tour)
        with closing(matching) as entries:
            return listing.render(entries, limit)

    def read_file(
        self,
        path: FilePath,
        start: Number = 1,
        end: Number | None = None,
        column: Number = 1,
        *,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """Read a text file, or some lines of it.

        A long file comes in parts; a note then says how to go on.

        Args:
            path: The file, relative to the root.
            start: Number of the first line.
            end: Number of the last line; by default the file's last.
            column: Number of the first character in the first line.
            context: The running call, if there is one.
        """
        if end is not None and end < start:
            raise ToolError(f"end={end} lies before start={start}")
        with self.roots.enter(path) as place:
            visit = partial(check_cancelled, context)
            wanted = Range(start, end, column)
            return reading.read_file(place, wanted, self.settings, visit)

    def search_files(
        self,
        pattern: Pattern,
        path: FilePath = ".",
        glob: Pattern | None = None,
        ignore_case: bool = False,
        around: Annotated[int, Field(ge=0, le=20)] = 0,
        *,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """Find the lines of text files that match a regular expression.

        Args:
            pattern: A regular expression (RE2: no look-around, no backreferences),
                matched with each line by itself.
            path: The folder to search, or one file, relative to the root.
            glob: Searches only the files below the folder that match, for example
                "*.py", "docs/**/*.md" or "*.{js,ts}".
            ignore_case: Whether upper and lower case are the same.
            around: How many lines to show before and after each match.
            context: The running call, if there is one.
        """
        tour = self._tour(context)
        wanted = compile_pattern(pattern, ignore_case=ignore_case)
        search = Search(wanted, around, self.settings, tour.skipped)
        with closing(find_files(self.roots, path, glob, tour)) as places:
            return search.run(places)

    def write_file(
        self, path: FilePath, content: str, *, context: ToolContext | None = None
    ) -> ToolResult:
        """Write a whole text file: a new one, or in place of what it held.

        The file holds exactly this content, in UTF-8. Missing folders are made.

        Args:
            path: The file, relative to the root.
            content: All of its text.
            context: The running call, if there is one.
        """
        data = encode(content, UTF8)
        check_cancelled(context)
        with self.roots.enter(path, make_folders=True) as place:
            created = place.replace(data)
        done = "created" if created else "overwrote"
        result = {"path": show(place.path), "created": created, "bytes": len(data)}
        return ToolResult(f"{done} {place.path!r}: {len(data):,} bytes", data=result)

    def edit_file(
        self,
        path: FilePath,
        old_text: Annotated[str, Field(min_length=1)],
        new_text: str,
        replace_all: bool = False,
        *,
        context: ToolContext | None = None,
    ) -> ToolResult:
        """Replace a piece of text in a file by another.

        The file keeps its encoding and its line breaks.

        Args:
            path: The file, relative to the root.
            old_text: What to replace, exactly as it is in the file, blanks included.
                It must occur just once: take as many lines as that needs.
            new_text: What to put in its place.
            replace_all: Whether to replace every occurrence instead.
            context: The running call, if there is one.
        """
        limit = self.settings.max_file_bytes
        with self.roots.enter(path) as place:
            with place.open_file() as file, told(place.path):
                seen = os.fstat(file.fileno())
                data = file.read(limit + 1)
            if len(data) > limit:
                raise ToolError(f"{place.path!r} has more than {limit:,} bytes")
            text, encoding = decode(data, place.path)
            edited = editing.replace(
                text, old_text, new_text, every=replace_all, path=place.path
            )
            check_cancelled(context)
            place.replace(encode(edited.text, encoding), seen=seen)
        times, line = edited.times, edited.line
        places = f"{times:,} place{'s' * (times > 1)} in {place.path!r}"
        result = {"path": show(place.path), "replaced": times, "line": line}
        return ToolResult(f"replaced {places}, at line {line}", data=result)

    def _tour(self, context: ToolContext | None) -> Tour:
        return Tour(frozenset(self.settings.skip), Progress(context))
