import type { Command } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { profileOf, readProfiles, writeProfiles } from '../profiles.ts';
import { addCommand } from '../program.ts';
import { addressOf, keyOf, type Session } from '../session.ts';

export function addLogin(program: Command, { environment, clientOf, print, terminal }: Session): void {
  addCommand(program, 'login', 'Keep an API key for the next commands, after it was tried.', [
    'waypost login --url https://links.example.org',
    'waypost login --url https://links.example.org --profile work < key.txt',
  ]).action(async (options) => {
    const { profile = 'default' } = options;
    const url = addressOf(options.url ?? (environment.WAYPOST_URL || 'http://localhost:8080'));
    const typed = await (terminal.ask?.(`API key for ${url}: `, 'hidden') ?? terminal.readStdin().then(String));
    const key = keyOf(typed.trim());
    const { scopes } = await clientOf({ url, key }).account();
    const stored = readProfiles(environment);
    const file = writeProfiles(environment, {
      current: profile,
      profiles: { ...stored.profiles, [profile]: { url, key } },
    });
    print(
      options,
      { profile, url, scopes, file },
      () => `Logged in at ${url} as "${profile}" (${scopes.join(', ')}).\nThe key is in ${file}, for you only.`,
    );
    if (environment.WAYPOST_API_KEY) terminal.err('WAYPOST_API_KEY is set, and goes before this login.\n');
  });
}

export function addLogout(program: Command, { environment, print }: Session): void {
  addCommand(program, 'logout', 'Forget the key of a login.', [
    'waypost logout',
    'waypost logout --profile work',
  ]).action((options) => {
    const profile = profileOf(environment, options.profile);
    if (profile === undefined) throw new UsageError('There is no login to forget.');
    const { current, profiles } = readProfiles(environment);
    const { [profile.name]: _gone, ...others } = profiles;
    writeProfiles(environment, {
      current: current === profile.name ? Object.keys(others)[0] : current,
      profiles: others,
    });
    print(
      options,
      { profile: profile.name, url: profile.url },
      () => `Forgot the key of "${profile.name}". It still works: delete it where it was made.`,
    );
  });
}

export function addWhoami(program: Command, { connection, clientOf, print }: Session): void {
  addCommand(program, 'whoami', 'Which key is used, what it may do, and what is left of the quota.', [
    'waypost whoami',
  ]).action(async (options) => {
    const used = connection(options);
    const { email, scopes, quota } = await clientOf(used).account();
    const { limit, used: usedQuota, resets_at } = quota;
    const answer = {
      url: used.url,
      profile: used.profile,
      email,
      scopes,
      quota: { limit, used: usedQuota, remaining: Math.max(0, limit - usedQuota), reset_at: resets_at },
    };
    print(options, answer, () =>
      [
        `${used.url}, ${used.profile === null ? 'with the key of WAYPOST_API_KEY' : `as "${used.profile}"`}`,
        `A key of ${safeText(email)}; its scopes: ${scopes.join(', ')}.`,
        `${usedQuota} of ${limit} links are made in this hour.`,
      ].join('\n'),
    );
  });
}
