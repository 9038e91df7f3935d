/** The inspector as a separate process. It meets hostile servers, so it has no database, no bus and no secret. */
import { ownHostOf } from '@waypost/domain';
import { internalApp, runService } from '@waypost/process';
import { inspectorConfig } from './config.ts';
import { pageInspector } from './inspector.ts';
import { inspectorRouter } from './inspector-router.ts';

await runService('inspector', inspectorConfig, async ({ logger, metrics, serve }, config) => {
  const inspector = pageInspector({
    ownHosts: [ownHostOf(config.baseUrl), ownHostOf(config.redirectBaseUrl), ...config.ownHosts],
    allowed: config.deepScanHostsAllowed,
    ports: config.deepScanPorts,
    nameServers: config.deepScanDns,
  });
  const routers = [inspectorRouter({ inspector, logger })];
  await serve(internalApp({ metrics, health: {}, routers }), config.port, config.host);
});
