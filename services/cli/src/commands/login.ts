/** Keeping a key, forgetting it, and telling which one it is and what it may do. */
import type { Command } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
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
    const { scopes } = await clientOf({ url, key }).account();
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
    const { email, scopes, quota } = await clientOf(used).account();
    const { limit, used: made, resets_at } = quota;
    const answer = {
      url: used.url,
      profile: used.profile,
      email,
      scopes,
      quota: { limit, used: made, remaining: Math.max(0, limit - made), reset_at: resets_at },
    };
    say(options, answer, () =>
      [
        `${used.url}, ${used.profile === null ? 'with the key of WAYPOST_API_KEY' : `as "${used.profile}"`}`,
        `A key of ${safeText(email)}; its scopes: ${scopes.join(', ')}.`,
        `${made} of ${limit} links are made in this hour.`,
      ].join('\n'),
    );
  });
}
