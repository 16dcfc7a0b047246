import { closeSync, constants, ftruncateSync, type PathLike } from 'node:fs';
import type { AppendFile } from './hive-fs.ts';
import { openRegular, statOpen } from './read-file.ts';
import { checkWritten, syncFile, systemError, writeAll } from './write-file.ts';

/** Opens a regular file for appending, made with mode 0600 when it is missing. */
export function openForAppend(path: PathLike): AppendFile {
  const fd = openRegular(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  let open = true;
  // The system may have given the number to another file since.
  const own = (): number => {
    if (!open) throw systemError('EBADF', 'write', 'the file was closed');
    return fd;
  };
  return {
    append: async (bytes) => {
      const { sizeBytes } = statOpen(own());
      writeAll(fd, bytes);
      checkWritten(fd, sizeBytes + bytes.length);
      await syncFile(fd);
    },
    stat: () => statOpen(own()),
    truncate: (sizeBytes) => ftruncateSync(own(), sizeBytes),
    close: () => {
      if (!open) return;
      open = false;
      closeSync(fd);
    },
  };
}
