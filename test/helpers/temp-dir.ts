import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open: string[] = [];

/**
 * Makes an empty folder under the system's folder for temporary files, and has it removed with all
 * that it holds by then: after the test, or after the file for one made outside of tests (`beforeAll`).
 * @param prefix - first characters of its name; keep it short, a socket's path has 107 bytes at most
 * @returns its absolute path, without links in it
 */
export function tempDir(prefix = 'hive-'): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  open.push(dir);
  return dir;
}

/** Lists the folders that {@link tempDir} has made and that are still to be removed, oldest first. */
export function openTempDirs(): readonly string[] {
  return open;
}

/** Removes the newest folders of {@link tempDir} until only the `keep` oldest are left. */
export function removeTempDirs(keep: number): void {
  for (const dir of open.splice(keep).reverse()) removeTree(dir);
}

/** Removes a file or folder whatever its permissions and whatever bytes its names are made of. */
export function removeTree(path: string): void {
  const stack: { path: Buffer; emptied: boolean }[] = [{ path: Buffer.from(path), emptied: false }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const stat = lstatSync(top.path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (!stat.isDirectory()) unlinkSync(top.path);
    else if (top.emptied) rmdirSync(top.path);
    else {
      chmodSync(top.path, 0o700);
      stack.push({ path: top.path, emptied: true });
      for (const name of readdirSync(top.path, { encoding: 'buffer' })) {
        stack.push({ path: Buffer.concat([top.path, Buffer.from('/'), name]), emptied: false });
      }
    }
  }
}
