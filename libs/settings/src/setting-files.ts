/** No error message contains the content of a file, because it may be a secret. */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const SECRET_MAX_BYTES = 64 * 1024;
/** A bundle of all public certificate authorities has about 250 KB. */
const PEM_MAX_BYTES = 1024 * 1024;

/** Removes the newline at the end, which editors and `echo` add. */
export function readSecretFile(file: string): string {
  const text = readBounded(file, SECRET_MAX_BYTES).replace(/\r?\n$/, '');
  if (text === '') throw new Error('points to an empty file');
  return text;
}

/** Reads certificates or a key. TLS would silently skip a certificate that it cannot parse, and trust nobody. */
export function readPem(file: string): string {
  const text = readBounded(file, PEM_MAX_BYTES);
  if (!text.includes('-----BEGIN ')) throw new Error('points to a file without a PEM certificate or key');
  for (const certificate of certificatesOf(text)) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw new Error('points to a file with an invalid certificate');
    }
  }
  return text;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

function certificatesOf(text: string): string[] {
  return text
    .split(BEGIN)
    .slice(1)
    .map((rest) => `${BEGIN}${rest.split(END, 1)[0]}${END}\n`);
}

function readBounded(file: string, maxBytes: number): string {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK); // a pipe without a writer must not block
    if (!fs.fstatSync(fd).isFile()) throw new Error('must be the path to a file');
    const bytes = Buffer.alloc(maxBytes + 1);
    const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
    if (length > maxBytes) throw new Error(`points to a file larger than ${maxBytes / 1024} KB`);
    return bytes.toString('utf8', 0, length);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? new Error(message) : new Error(`points to a file that cannot be read (${code})`);
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Checks that this process can write the folder, or make it in the nearest folder above it that exists. */
export function readFolder(text: string): string {
  const folder = path.resolve(text);
  for (let above = folder; ; above = path.dirname(above)) {
    const problem = folderProblem(above);
    if (problem === undefined) return text;
    if (problem !== 'absent') throw new Error(above === folder ? problem : `is below ${above}, which ${problem}`);
  }
}

function folderProblem(dir: string): string | undefined {
  let owner = '';
  try {
    const stat = fs.statSync(dir);
    if (!stat.isDirectory()) return 'is a file, not a folder';
    owner = `; it belongs to user ${stat.uid}`;
    fs.accessSync(dir, fs.constants.W_OK | fs.constants.X_OK);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    if (code === 'EACCES') return `cannot be written by user ${process.geteuid?.()}${owner}`;
    return code === 'EROFS' ? 'is on a read-only file system' : `cannot be used: ${message}`;
  }
}
