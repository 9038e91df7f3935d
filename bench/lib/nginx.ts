/** The other reference: nginx that answers a fixed redirect, with one worker and no log. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Engine, freePort, isListening, startEngine, startProgram } from '../../scripts/engines/engine.ts';

export async function startNginx(): Promise<Engine> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-nginx-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = path.join(folder, 'nginx.conf');
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  fs.writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; ${bodies.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      add_header Cache-Control no-store;
      add_header X-Robots-Tag noindex;
      return 302 https://example.org/a/page/of/usual/length?campaign=autumn;
    }
  }
}
`,
  );
  return await startEngine({
    name: 'nginx',
    port,
    start: () =>
      startProgram({
        name: 'nginx',
        command: 'nginx',
        args: ['-p', folder, '-c', config],
        logFile: path.join(folder, 'log'),
        isReady: () => isListening(port),
        readyWithinMs: 5_000,
      }),
  });
}
