import type { Command } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { profileOf, readProfiles, writeProfiles } from '../profiles.ts';
import { addCommand } from '../program.ts';
import { addressOf, keyOf, type Session } from '../session.ts';

export function addLogin(program: Command, { environment, clientOf, print, terminal }: Session): void {
  addCommand(
    program,
    'login',
    'Log in with an API key, read from the terminal or stdin, and store it for later commands.',
    [
      'waypost login --url https://links.example.org',
      'waypost login --url https://links.example.org --profile work < key.txt',
    ],
  ).action(async (options) => {
    const { profile = 'default' } = options;
    const url = addressOf(options.url ?? (environment.WAYPOST_URL || 'http://localhost:8080'));
    const typed = await (terminal.ask?.(`API key for ${url}: `, 'hidden') ?? terminal.readStdin().then(String));
    const key = keyOf(typed.trim());
    const { scopes } = await clientOf({ url, key }).account();
    const profiles = readProfiles(environment);
    const file = writeProfiles(environment, {
      current: profile,
      profiles: { ...profiles.profiles, [profile]: { url, key } },
    });
    print(
      options,
      { profile, url, scopes, file },
      () =>
        `Logged in at ${url} as "${profile}" (${scopes.join(', ')}).\nThe key is stored in ${file}, readable only by you.`,
    );
    if (environment.WAYPOST_API_KEY) terminal.err('WAYPOST_API_KEY is set and takes precedence over this login.\n');
  });
}

export function addLogout(program: Command, { environment, print }: Session): void {
  addCommand(program, 'logout', 'Log out and remove the stored API key.', [
    'waypost logout',
    'waypost logout --profile work',
  ]).action((options) => {
    const profile = profileOf(environment, options.profile);
    if (profile === undefined) throw new UsageError('You are not logged in.');
    const { current, profiles } = readProfiles(environment);
    const { [profile.name]: _gone, ...others } = profiles;
    writeProfiles(environment, {
      current: current === profile.name ? Object.keys(others)[0] : current,
      profiles: others,
    });
    print(
      options,
      { profile: profile.name, url: profile.url },
      () =>
        `Removed the key of "${profile.name}" from this computer. The key still works until you delete it in Waypost.`,
    );
  });
}

export function addWhoami(program: Command, { connection, clientOf, print }: Session): void {
  addCommand(program, 'whoami', 'Show the API key in use, its scopes and your quota.', ['waypost whoami']).action(
    async (options) => {
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
          `API key of ${safeText(email)}. Scopes: ${scopes.join(', ')}.`,
          `${usedQuota} of ${limit} links created in this hour.`,
        ].join('\n'),
      );
    },
  );
}
