/**
 * A backup is a folder of compressed files. `manifest.json` comes last and has the length and SHA-256 of each. In an
 * encrypted backup all of them, the manifest too, are files of age with the name ending `.age`.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, pipeline as startPipeline, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandMistake } from '@waypost/operator';
import type { ArchivedSchema, Lines } from '@waypost/ports';
import Joi from 'joi';
import type { Cipher } from './age.ts';

/** This number increases with each change that an earlier version cannot read. */
const FORMAT = 1;
const MANIFEST = 'manifest.json';
const ENCRYPTED = '.age';
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

export class BackupRefused extends CommandMistake {
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
  encrypt: Cipher | undefined,
  fill: (files: BackupFiles) => Promise<Manifest['schemas']>,
): Promise<Manifest> {
  if ((await namesIn(dir)).length > 0) throw new BackupRefused(`${dir} is not empty. Choose a new folder.`);
  const parent = path.dirname(dir);
  await mkdir(parent, { recursive: true });
  const stats = await stat(dir).catch(() => undefined);
  if (stats !== undefined && stats.dev !== (await stat(parent)).dev)
    throw new BackupRefused(`${dir} is the root of a file system. Choose a new folder in it.`);
  const partial = `${dir}.partial`;
  await mkdir(partial, { mode: 0o700 }).catch((cause) => {
    throw cause.code === 'EEXIST'
      ? new BackupRefused(
          `${partial} belongs to a backup that is running or was interrupted. If no backup is running, delete it.`,
          {
            cause,
          },
        )
      : cause;
  });
  try {
    const files: StoredFile[] = [];
    const schemas = await fill({
      add: async (name, content, columns) => {
        const file = fileOf(partial, name, encrypt);
        files.push({ name, ...(columns && { columns }), ...(await compress(file, content, encrypt)) });
      },
    });
    const manifest: Manifest = { format: FORMAT, made_at: now.toISOString(), schemas, files };
    const text = `${JSON.stringify({ ...manifest, sha256: digest(manifest) }, null, 1)}\n`;
    const content = encrypt === undefined ? text : encrypt(one(Buffer.from(text)));
    const file = path.join(partial, MANIFEST + suffixOf(encrypt));
    await writeFile(file, content, { flag: 'wx', mode: 0o600, flush: true });
    for (const folder of [...new Set(files.map(({ name }) => path.dirname(fileOf(partial, name, encrypt)))), partial])
      await syncFolder(folder);
    await rename(partial, dir);
    await syncFolder(parent);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Reads every byte of every file. Throws `BackupRefused` at the first file that has changed since the backup. With
 * `decrypt`, a backup that is not encrypted is refused: anybody could have put it there.
 */
export async function readManifest(dir: string, decrypt: Cipher | undefined): Promise<Manifest> {
  const isEncrypted = (await manifestOf(dir))?.endsWith(ENCRYPTED);
  if (isEncrypted === true && decrypt === undefined)
    throw new BackupRefused(`${dir} is encrypted. Give the file with your secret key by --identity.`);
  if (isEncrypted === false && decrypt !== undefined)
    throw new BackupRefused(
      `${dir} is not encrypted. If you know that it is your backup, restore it without --identity.`,
    );
  const manifest = await parseManifest(path.join(dir, MANIFEST + suffixOf(decrypt)), decrypt);
  for (const { name, lines, bytes, sha256 } of manifest.files) {
    const file = fileOf(dir, name, decrypt);
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined) throw new BackupRefused(`${file} is missing`);
    if (stats.size !== bytes) throw new BackupRefused(`${file} is damaged: ${stats.size} bytes, not ${bytes}`);
    const measured = await measure(file, decrypt).catch(() => undefined);
    if (measured?.sha256 !== sha256 || measured.lines !== lines)
      throw new BackupRefused(`${file} is damaged: its checksum differs from the one in the backup`);
  }
  return manifest;
}

export function contentOf(dir: string, name: string, decrypt: Cipher | undefined): Lines {
  const source = createReadStream(fileOf(dir, name, decrypt));
  // An error goes to the reader of the content, so the callback has nothing to do.
  return startPipeline(source, decrypt ?? asIs, createGunzip(), () => undefined);
}

/** Resolves to the name of the manifest, or to undefined: then the folder is no backup, or one that was cut off. */
export async function manifestOf(dir: string): Promise<string | undefined> {
  const names = await namesIn(dir);
  return [MANIFEST + ENCRYPTED, MANIFEST].find((name) => names.includes(name));
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

async function parseManifest(file: string, decrypt: Cipher | undefined): Promise<Manifest> {
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined)
    throw new BackupRefused(`${file} is missing. This is not a backup, or the backup was interrupted.`);
  if (size > MANIFEST_MAX_BYTES) throw new BackupRefused(`${file} is damaged: the file is too large`);
  const content = await readFile(file);
  let text = content;
  if (decrypt !== undefined)
    text = await buffer(decrypt(one(content))).catch((cause) => {
      throw new BackupRefused(`${file} cannot be decrypted. The file is damaged, or encrypted to another key.`, {
        cause,
      });
    });
  let sha256: unknown;
  let manifest: unknown;
  try {
    ({ sha256, ...manifest } = JSON.parse(text.toString()));
  } catch (cause) {
    throw new BackupRefused(`${file} is damaged: not valid JSON`, { cause });
  }
  if (sha256 !== digest(manifest)) throw new BackupRefused(`${file} is damaged: wrong checksum`);
  if ((manifest as Manifest).format !== FORMAT)
    throw new BackupRefused(
      `${file} was written by another version of Waypost: format ${(manifest as Manifest).format}`,
    );
  const { value, error } = manifestSchema.validate(manifest, { convert: false });
  if (error !== undefined) throw new BackupRefused(`${file} is damaged: ${error.message}`);
  return value;
}

const suffixOf = (cipher: Cipher | undefined) => (cipher === undefined ? '' : ENCRYPTED);
const fileOf = (dir: string, name: string, cipher: Cipher | undefined) =>
  path.join(dir, `${name}.gz${suffixOf(cipher)}`);
const asIs: Cipher = (chunks) => chunks;
const one = (content: Uint8Array): Lines => Readable.from([content]);
const digest = (manifest: unknown) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

async function compress(
  file: string,
  content: Lines,
  encrypt: Cipher | undefined,
): Promise<Pick<StoredFile, 'lines' | 'bytes' | 'sha256'>> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const plain = lineCount();
  const digest = checksum();
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(content, plain.through, createGzip(), encrypt ?? asIs, digest.through, target);
  return { lines: plain.lines(), bytes: digest.bytes(), sha256: digest.hex() };
}

async function measure(file: string, decrypt: Cipher | undefined): Promise<Pick<StoredFile, 'lines' | 'sha256'>> {
  const digest = checksum();
  const plain = lineCount();
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(file), digest.through, decrypt ?? asIs, createGunzip(), plain.through, discard);
  return { lines: plain.lines(), sha256: digest.hex() };
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
