import { spawn } from 'node:child_process';
import { stopOnSignal } from '@waypost/process';
import { ConfigError } from '@waypost/settings';
import { errorFields } from '@waypost/telemetry';
import { startWaypost } from './app.ts';
import { readConfig } from './config.ts';
import { FolderInUse } from './data-dir.ts';

// Other users must not read the files of this process, whatever the mode of the folder is.
process.umask(0o077);

/**
 * Tells systemd that the start is complete (`Type=notify`). Node has no datagrams on unix sockets, so it runs
 * `systemd-notify`. If that fails, systemd reports that the start timed out.
 */
function tellSystemd(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  spawn('systemd-notify', ['--ready', '--status=Ready'], { stdio: 'inherit' }).on('error', (error) =>
    process.stderr.write(`systemd could not be notified: ${error.message}\n`),
  );
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

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

  print(`Waypost is at     ${config.baseUrl}`);
  print(`Short links from  ${config.redirectBaseUrl}/<slug>`);
  print(`API reference     ${config.baseUrl}/docs`);
  print(`Data folder       ${config.dataDir}`);
  const firstRunUrl = await waypost.firstRunUrl();
  if (firstRunUrl !== undefined) {
    print('');
    print('Create the first account here, within an hour (each start prints a new address):');
    print(`  ${firstRunUrl}`);
    print('');
  }
  print('Ready');
  tellSystemd();
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof FolderInUse;
  process.stderr.write(
    `${expected ? (error as Error).message : `Waypost could not start: ${(error as Error).stack}`}\n`,
  );
  process.exit(1);
}
