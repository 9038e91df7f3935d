import fs from 'node:fs';
import path from 'node:path';
import { type Engine, findProgram, freePort, isListening, startEngine, startProgram } from './engine.ts';

export interface PgBouncerOptions {
  /** Every user of the machine must be able to reach this folder, and then can read it. */
  readonly dir: string;
  /** The port of PostgreSQL on 127.0.0.1. */
  readonly target: number;
  /** Passwords by role. */
  readonly users: Readonly<Record<string, string>>;
  /** Further lines of the section `pgbouncer`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Runs Debian's pgbouncer (`apt-get install pgbouncer`), which gives each transaction any of its two sessions. */
export async function startPgBouncer({ dir, target, users, settings = {} }: PgBouncerOptions): Promise<Engine> {
  const command = findProgram('pgbouncer');
  if (command === undefined) throw new Error('pgbouncer is not installed: apt-get install pgbouncer');
  const port = await freePort();
  fs.mkdirSync(dir, { recursive: true });
  const inDir = (name: string) => path.resolve(dir, name);
  const passwords = Object.entries(users).map(([user, password]) => `"${user}" "${password}"\n`);
  fs.writeFileSync(inDir('users.txt'), passwords.join(''));
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: inDir('users.txt'),
    pool_mode: 'transaction',
    default_pool_size: 2,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  fs.writeFileSync(
    inDir('pgbouncer.ini'),
    `[databases]\nwaypost = host=127.0.0.1 port=${target}\n[pgbouncer]\n${lines.join('')}`,
  );
  // It refuses to run as root, and reads its files as the other user.
  fs.chmodSync(dir, 0o755);
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  return startEngine({
    name: 'PgBouncer',
    port,
    start: () =>
      startProgram({
        name: 'PgBouncer',
        command,
        args: [...asUser, inDir('pgbouncer.ini')],
        logFile: inDir('pgbouncer.log'),
        endSignal: 'SIGINT',
        isReady: () => isListening(port),
        readyWithinMs: 10_000,
      }),
  });
}
