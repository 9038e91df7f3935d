/** Encryption in the format of age (age-encryption.org), whose command line reads the files, too. */
import { readFile } from 'node:fs/promises';
import { CommandMistake } from '@waypost/operator';
import type { Lines } from '@waypost/ports';
import { Decrypter, Encrypter } from 'age-encryption';

/** Encrypts or decrypts one file. It holds a few pieces of 64 KiB in memory, however large the file is. */
export type Cipher = (chunks: Lines) => AsyncIterable<Uint8Array>;

/** `recipients` are public keys, separated by commas. Throws `CommandMistake` if one is wrong. */
export function encryptTo(recipients: string): Cipher {
  const encrypter = new Encrypter();
  for (const recipient of recipients.split(',').map((text) => text.trim())) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new CommandMistake(`"${recipient.slice(0, 100)}" is not a public key of age, which begins with age1`);
    }
  }
  return async function* encrypted(chunks) {
    yield* await encrypter.encrypt(ReadableStream.from(chunks) as ReadableStream<Uint8Array>);
  };
}

/** Reads the secret keys in a file of `age-keygen`. Throws `CommandMistake` if it holds none, or something else. */
export async function decryptWith(identityFile: string): Promise<Cipher> {
  const keys = (await readFile(identityFile, 'utf8')).split('\n').map((line) => line.trim());
  const decrypter = new Decrypter();
  const identities = keys.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw new CommandMistake(`${identityFile} contains no secret key of age`);
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      // The cause would have the secret.
      throw new CommandMistake(
        `${identityFile} has a line that is not a secret key of age, which begins with AGE-SECRET-KEY-`,
      );
    }
  }
  return async function* decrypted(chunks) {
    yield* await decrypter.decrypt(ReadableStream.from(chunks) as ReadableStream<Uint8Array>);
  };
}
