/** A backup is a folder of compressed files. `manifest.json` comes last and has the length and SHA-256 of each. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchivedSchema, Lines } from '@waypost/ports';
import Joi from 'joi';

/** This number increases with each change that an earlier version cannot read. */
const FORMAT = 1;
export const MANIFEST = 'manifest.json';
const MANIFEST_MAX_BYTES = 4 << 20;

export interface StoredFile {
  /** The path relative to the folder, without `.gz`. */
  readonly name: string;
  readonly columns?: readonly string[];
  /** The number of rows of a table, or of lines of a file. */
  readonly lines: number;
  /** The compressed size in bytes. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: number;
  /** The time of the backup, in ISO 8601. */
  readonly made_at: string;
  readonly schemas: Readonly<Record<'clickhouse' | 'postgres', ArchivedSchema>>;
  readonly files: readonly StoredFile[];
}

export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

export interface BackupFiles {
  /** Compresses `content` and stores it. Once this resolves, the content survives a power loss. */
  add(name: string, content: Lines, columns?: readonly string[]): Promise<void>;
}

/**
 * Calls `fill`, which adds the files. The folder gets its name only when all files are stored, so a folder with this
 * name is complete. If anything fails, nothing remains.
 */
export async function writeFiles(
  dir: string,
  now: Date,
  fill: (files: BackupFiles) => Promise<Manifest['schemas']>,
): Promise<Manifest> {
  if ((await namesIn(dir)).length > 0) throw new BackupRefused(`${dir} is not empty: name a new folder`);
  const parent = path.dirname(dir);
  await mkdir(parent, { recursive: true });
  const stats = await stat(dir).catch(() => undefined);
  if (stats !== undefined && stats.dev !== (await stat(parent)).dev)
    throw new BackupRefused(`${dir} is a file system of its own: name a new folder in it`);
  const partial = `${dir}.partial`;
  await mkdir(partial, { mode: 0o700 }).catch((cause) => {
    throw cause.code === 'EEXIST'
      ? new BackupRefused(`${partial} is of a backup that runs, or that was cut off: if none runs, delete it`, {
          cause,
        })
      : cause;
  });
  try {
    const files: StoredFile[] = [];
    const schemas = await fill({
      add: async (name, content, columns) => {
        files.push({ name, ...(columns && { columns }), ...(await compress(fileOf(partial, name), content)) });
      },
    });
    const manifest: Manifest = { format: FORMAT, made_at: now.toISOString(), schemas, files };
    const text = `${JSON.stringify({ ...manifest, sha256: digest(manifest) }, null, 1)}\n`;
    await writeFile(path.join(partial, MANIFEST), text, { flag: 'wx', mode: 0o600, flush: true });
    for (const folder of [...new Set(files.map(({ name }) => path.dirname(fileOf(partial, name)))), partial])
      await syncFolder(folder);
    await rename(partial, dir);
    await syncFolder(parent);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Reads every byte of every file. Throws `BackupRefused` at the first file that has changed since the backup. */
export async function readManifest(dir: string): Promise<Manifest> {
  const manifest = await parseManifest(path.join(dir, MANIFEST));
  for (const { name, lines, bytes, sha256 } of manifest.files) {
    const file = fileOf(dir, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined) throw new BackupRefused(`${file} is missing`);
    if (stats.size !== bytes) throw new BackupRefused(`${file} is damaged: ${stats.size} bytes, not ${bytes}`);
    const measured = await measure(file).catch(() => undefined);
    if (measured?.sha256 !== sha256 || measured.lines !== lines)
      throw new BackupRefused(`${file} is damaged: its checksum is not that of the backup`);
  }
  return manifest;
}

export function contentOf(dir: string, name: string): Lines {
  const source = createReadStream(fileOf(dir, name));
  const content = createGunzip();
  source.once('error', (error) => content.destroy(error));
  return source.pipe(content);
}

/** Resolves to the names in the folder; to an empty list if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** This pattern allows no `..`, so that a name cannot lead out of the folder. */
const NAME = /^[a-z0-9][\w-]*(?:\/[a-z0-9][\w.-]*)+$/i;
const schema = Joi.object({
  migrations: Joi.array().items(Joi.string()).required(),
  sequences: Joi.object().pattern(Joi.string(), Joi.string().pattern(/^\d+$/)).required(),
}).required();
const manifestSchema = Joi.object<Manifest>({
  format: Joi.number().required(),
  made_at: Joi.string().isoDate().required(),
  schemas: Joi.object({ clickhouse: schema, postgres: schema }).required(),
  files: Joi.array()
    .items(
      Joi.object({
        name: Joi.string().pattern(NAME).required(),
        columns: Joi.array().items(Joi.string()),
        lines: Joi.number().integer().required(),
        bytes: Joi.number().integer().required(),
        sha256: Joi.string().hex().length(64).required(),
      }),
    )
    .required(),
}).required();

async function parseManifest(file: string): Promise<Manifest> {
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined) throw new BackupRefused(`${file} is missing: this is no backup, or one that was cut off`);
  if (size > MANIFEST_MAX_BYTES) throw new BackupRefused(`${file} is damaged: it is too long`);
  let sha256: unknown;
  let manifest: unknown;
  try {
    ({ sha256, ...manifest } = JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new BackupRefused(`${file} is damaged: it is not JSON`, { cause });
  }
  if (sha256 !== digest(manifest)) throw new BackupRefused(`${file} is damaged: its checksum is wrong`);
  if ((manifest as Manifest).format !== FORMAT)
    throw new BackupRefused(`${file} is of another version of Waypost: format ${(manifest as Manifest).format}`);
  const { value, error } = manifestSchema.validate(manifest, { convert: false });
  if (error !== undefined) throw new BackupRefused(`${file} is damaged: ${error.message}`);
  return value;
}

const fileOf = (dir: string, name: string) => path.join(dir, `${name}.gz`);
const digest = (manifest: unknown) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

async function compress(file: string, content: Lines): Promise<Pick<StoredFile, 'lines' | 'bytes' | 'sha256'>> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const plain = lineCount();
  const compressed = checksum();
  const stored = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(content, plain.through, createGzip(), compressed.through, stored);
  return { lines: plain.lines(), bytes: compressed.bytes(), sha256: compressed.hex() };
}

async function measure(file: string): Promise<Pick<StoredFile, 'lines' | 'sha256'>> {
  const compressed = checksum();
  const plain = lineCount();
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(file), compressed.through, createGunzip(), plain.through, discard);
  return { lines: plain.lines(), sha256: compressed.hex() };
}

function checksum() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *through(chunks: Lines) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    bytes: () => bytes,
    hex: () => hash.digest('hex'),
  };
}

function lineCount() {
  let lines = 0;
  return {
    async *through(chunks: Lines) {
      for await (const chunk of chunks) {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
        yield chunk;
      }
    },
    lines: () => lines,
  };
}

/** Until the folder is synced, a power loss may remove the files created in it. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
