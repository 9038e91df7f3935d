/** Keeping a key, forgetting it, and telling which one it is and what it may do. */
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { type Waypost, WaypostError } from '@waypost/sdk';
import { profileOf, readProfiles, writeProfiles } from '../profiles.ts';
import { addCommand } from '../program.ts';
import { addressOf, keyOf, type Session } from '../session.ts';

export function addLogin(program: Command, { environment, clientOf, say, terminal }: Session): void {
  addCommand(program, 'login', 'Keep an API key for the next commands, after it was tried.', [
    'waypost login --url https://links.example.org',
    'waypost login --url https://links.example.org --profile work < key.txt',
  ]).action(async (options) => {
    const { profile = 'default' } = options;
    const url = addressOf(options.url ?? (environment.WAYPOST_URL || 'http://localhost:8080'));
    const typed = await (terminal.ask?.(`API key for ${url}: `, 'hidden') ?? terminal.readStdin().then(String));
    const key = keyOf(typed.trim());
    const { scopes } = await whatItMay(clientOf({ url, key }));
    const kept = readProfiles(environment);
    const file = writeProfiles(environment, {
      current: profile,
      profiles: { ...kept.profiles, [profile]: { url, key } },
    });
    say(
      options,
      { profile, url, scopes, file },
      () => `Logged in at ${url} as "${profile}" (${scopes.join(', ')}).\nThe key is in ${file}, for you only.`,
    );
    if (environment.WAYPOST_API_KEY) terminal.err('WAYPOST_API_KEY is set, and goes before this login.\n');
  });
}

export function addLogout(program: Command, { environment, say }: Session): void {
  addCommand(program, 'logout', 'Forget the key of a login.', [
    'waypost logout',
    'waypost logout --profile work',
  ]).action((options) => {
    const profile = profileOf(environment, options.profile);
    if (profile === undefined) throw new UsageError('Nobody is logged in.');
    const { current, profiles } = readProfiles(environment);
    const { [profile.name]: _gone, ...left } = profiles;
    writeProfiles(environment, {
      current: current === profile.name ? Object.keys(left)[0] : current,
      profiles: left,
    });
    say(
      options,
      { profile: profile.name, url: profile.url },
      () => `Forgot the key of "${profile.name}". It still works: delete it where it was made.`,
    );
  });
}

export function addWhoami(program: Command, { connection, clientOf, say }: Session): void {
  addCommand(program, 'whoami', 'Which key is used, what it may do, and what is left of the quota.', [
    'waypost whoami',
  ]).action(async (options) => {
    const used = connection(options);
    const { scopes, quota } = await whatItMay(clientOf(used));
    const answer = {
      url: used.url,
      profile: used.profile,
      scopes,
      quota: quota && {
        limit: quota.limit,
        used: quota.used,
        remaining: quota.remaining,
        reset_at: quota.resetAt.toISOString(),
      },
    };
    say(options, answer, () =>
      [
        `${used.url}, ${used.profile === null ? 'with the key of WAYPOST_API_KEY' : `as "${used.profile}"`}`,
        `The key may ${scopes.join(' and ') || 'do nothing here'}.`,
        ...(quota === null ? [] : [`${quota.used} of ${quota.limit} links are made in this hour.`]),
      ].join('\n'),
    );
  });
}

/** Rejects if the key is not valid. */
async function whatItMay(api: Waypost) {
  const page = await unlessForbidden(api.list({ limit: 1 }));
  const quota = await unlessForbidden(api.quota());
  return { scopes: [...(page === null ? [] : ['read']), ...(quota === null ? [] : ['write'])], quota };
}

async function unlessForbidden<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof WaypostError && error.status === 403) return null;
    throw error;
  }
}
