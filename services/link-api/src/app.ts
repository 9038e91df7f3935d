import type { RequestListener } from 'node:http';
import type { UrlPolicy } from '@waypost/domain';
import { createMetrics } from '@waypost/telemetry';
import type { DataSource } from 'typeorm';
import { accountEndpoints, accountStores, accounts } from './accounts/index.ts';
import { analytics, analyticsEndpoints } from './analytics/index.ts';
import { audit, auditEndpoints, auditStores } from './audit/index.ts';
import { credentialEndpoints, credentials } from './credentials/index.ts';
import { dashboard } from './dashboard/index.ts';
import { CHAPTERS, GUIDE } from './guide.ts';
import { health, healthEndpoints } from './health/index.ts';
import { authentication, keyEndpoints, keyStores, keys } from './keys/index.ts';
import { linkEndpoints, linkStores, links, outboxWaker } from './links/index.ts';
import { caseOpened, moderation, moderationEndpoints, moderationStores } from './moderation/index.ts';
import { noticeStores, notices } from './notices/index.ts';
import { type ListenerDeps, listener } from './platform/http/listener.ts';
import { asOperator } from './platform/http/operator.ts';
import type { RefusedChange } from './platform/http/serving.ts';
import { type ShedLoadDeps, shedLoad } from './platform/http/shed-load.ts';
import { postgresInstallationSecret } from './platform/installation-secret.sql.ts';
import { allTurns } from './platform/limits.ts';
import { apiCounts } from './platform/metrics.ts';
import { docs } from './platform/openapi/docs.ts';
import type { OpenApiSource } from './platform/openapi/openapi.ts';
import type { Running } from './platform/slice.ts';
import { privacy, privacyEndpoints, privacyStores } from './privacy/index.ts';
import { tools } from './tools/index.ts';
import { webhookEndpoints, webhookMessages, webhookStores, webhooks } from './webhooks/index.ts';

/** Every feature of the API. */
const SLICES = [
  links,
  analytics,
  accounts,
  credentials,
  keys,
  webhooks,
  moderation,
  notices,
  privacy,
  health,
  audit,
  tools,
  dashboard,
] as const;

/** What the endpoints are. The OpenAPI document, the SDK and the command line come from it. */
export const declared = (policy: UrlPolicy): OpenApiSource => ({
  endpoints: [
    ...linkEndpoints(policy),
    ...analyticsEndpoints,
    ...accountEndpoints,
    ...credentialEndpoints,
    ...keyEndpoints,
    ...webhookEndpoints,
    ...moderationEndpoints,
    ...privacyEndpoints,
    ...healthEndpoints,
    ...auditEndpoints,
  ],
  messages: [...webhookMessages, caseOpened],
  chapters: CHAPTERS,
  guide: GUIDE,
});

/** Makes all stores of link-api. `creationsPerHour` applies to accounts without their own limit. */
export function postgresLinkApiStores(
  db: DataSource,
  limits: { readonly creationsPerHour: number },
  onRelayError: (error: unknown) => void,
) {
  const wakeOutbox = outboxWaker(db);
  return {
    ...accountStores(db, limits),
    ...auditStores(db),
    ...keyStores(db, limits),
    ...linkStores(db, { ...limits, wakeOutbox, onRelayError }),
    ...moderationStores(db, wakeOutbox),
    ...noticeStores(db),
    ...privacyStores(db, wakeOutbox),
    ...webhookStores(db),
    secret: postgresInstallationSecret(db),
  };
}

/** A parameter of a union of functions must satisfy each of them. */
type PortsOf<Open> = [Open] extends [(ports: infer Ports) => unknown] ? Ports : never;
type Platform = Omit<ListenerDeps & ShedLoadDeps, 'authentication' | 'counts' | 'noteRefusal'>;

/** What main.ts provides: the ports of all slices, but for what this module makes. */
export type LinkApiPorts = Omit<
  PortsOf<(typeof SLICES)[number]> & Platform & { readonly onLateError: (error: unknown) => void },
  'metrics' | 'turns'
>;

export interface LinkApi {
  readonly app: RequestListener;
  /** Serves the endpoints of administrators, with the operator as the caller. It sheds no load. */
  readonly forOperator: RequestListener;
  /** Starts consumers, relay, webhook deliveries, the hourly clean-up and the erasure of accounts. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const FORGET_EVERY_MS = 3_600_000;

/** Without `metrics`, the counts go into a registry that nobody exports. */
export function createLinkApi(mainPorts: LinkApiPorts, metrics = createMetrics()): LinkApi {
  const ports = { ...mainPorts, metrics, turns: allTurns() };
  const slices = SLICES.map((open) => open(ports));
  const endpoints = slices.flatMap((slice) => (slice.endpoints ?? []).map(({ endpoint }) => endpoint));
  const documents = [docs({ ...declared(ports.urlPolicy), endpoints }, ports)];
  const platform = {
    ...ports,
    counts: apiCounts(metrics),
    authentication: authentication(ports),
    noteRefusal: (refused: RefusedChange) => ports.audit.refused(refused),
  };

  const administration = slices.map(({ endpoints = [], secretPaths = [] }) => ({
    secretPaths,
    endpoints: endpoints.filter(({ endpoint }) => endpoint.scope === 'admin'),
  }));

  const running: Running[] = [];
  return {
    app: shedLoad(listener(slices, platform, documents), platform),
    forOperator: listener(administration, { ...platform, authentication: asOperator }),
    start: async () => {
      for (const { jobs = [] } of slices) for (const start of jobs) running.push(await start());
      const timer = setInterval(() => {
        for (const { forget = [] } of slices)
          for (const forgetExpired of forget) void forgetExpired(ports.now()).catch(ports.onLateError);
      }, FORGET_EVERY_MS);
      running.push({ stop: async () => clearInterval(timer) });
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop();
    },
  };
}
