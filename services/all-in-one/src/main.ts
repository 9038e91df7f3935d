/** `npm start`. */
import { spawn } from 'node:child_process';
import { stopOnSignal } from '@waypost/process';
import { ConfigError } from '@waypost/settings';
import { errorFields } from '@waypost/telemetry';
import { startWaypost } from './app.ts';
import { readConfig } from './config.ts';
import { FolderInUse } from './data-dir.ts';

// Nobody else may read what this process writes, whatever the folder allows.
process.umask(0o077);

/**
 * `Type=notify` of a systemd unit. Its program sends the message: Node has no datagrams on unix sockets. If that fails,
 * systemd reports a start that timed out.
 */
function tellSystemd(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  spawn('systemd-notify', ['--ready', '--status=Ready'], { stdio: 'inherit' }).on('error', (error) =>
    process.stderr.write(`systemd was not told: ${error.message}\n`),
  );
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const config = readConfig(process.env);
  let waypost: Awaited<ReturnType<typeof startWaypost>> | undefined;
  const starting = startWaypost(config, { listeners: true });
  stopOnSignal(
    async () => {
      waypost ??= await starting;
      await waypost.stop();
    },
    (error) => process.stderr.write(`Waypost did not stop cleanly: ${(error as Error).message}\n`),
  );
  waypost = await starting;
  process.on('unhandledRejection', (error) => waypost?.logger.error('unhandled rejection', errorFields(error)));

  say(`Waypost is at     ${config.baseUrl}`);
  say(`Short links from  ${config.redirectBaseUrl}/<slug>`);
  say(`API reference     ${config.baseUrl}/docs`);
  say(`Data folder       ${config.dataDir}`);
  const firstRunUrl = await waypost.firstRunUrl();
  if (firstRunUrl !== undefined) {
    say('');
    say('There is no account yet. Make the first one here:');
    say(`  ${firstRunUrl}`);
    say('');
  }
  say('Ready');
  tellSystemd();
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof FolderInUse;
  process.stderr.write(
    `${expected ? (error as Error).message : `Waypost could not start: ${(error as Error).stack}`}\n`,
  );
  process.exit(1);
}
