import type { RequestListener } from 'node:http';
import type { UrlPolicy } from '@waypost/domain';
import type { Database } from '@waypost/postgres';
import { createMetrics } from '@waypost/telemetry';
import { accountErrors, accountStores, accounts } from './accounts/index.ts';
import { analytics } from './analytics/index.ts';
import { audit, auditStores } from './audit/index.ts';
import { credentialErrors, credentials } from './credentials/index.ts';
import { dashboard } from './dashboard/index.ts';
import { CHAPTERS, GUIDE } from './guide.ts';
import { health } from './health/index.ts';
import { authentication, keyErrors, keyStores, keys } from './keys/index.ts';
import { linkErrors, linkStores, links, outboxWaker, withImportedClicks } from './links/index.ts';
import { caseErrors, moderation, moderationStores } from './moderation/index.ts';
import { noticeStores, notices } from './notices/index.ts';
import type { RefusedChange } from './platform/http/endpoint-handler.ts';
import { type Errors, platformErrors } from './platform/http/errors.ts';
import { type ListenerDeps, listener } from './platform/http/listener.ts';
import { asOperator } from './platform/http/operator.ts';
import { type ShedLoadDeps, shedLoad } from './platform/http/shed-load.ts';
import { postgresInstallationSecret } from './platform/installation-secret.sql.ts';
import { slotsByConcurrency } from './platform/limits.ts';
import { apiCounts } from './platform/metrics.ts';
import { docs } from './platform/openapi/docs.ts';
import type { OpenApiSource } from './platform/openapi/openapi.ts';
import type { Running } from './platform/slice.ts';
import { privacy, privacyStores } from './privacy/index.ts';
import { tools } from './tools/index.ts';
import { webhookErrors, webhookStores, webhooks } from './webhooks/index.ts';

/** Every feature of the API. */
const slicesWith = (policy: UrlPolicy) =>
  [
    links(policy),
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

export const ERRORS: Errors = {
  ...platformErrors,
  ...linkErrors,
  ...accountErrors,
  ...credentialErrors,
  ...keyErrors,
  ...webhookErrors,
  ...caseErrors,
};

/** What the OpenAPI document, the SDK and the command line come from. */
export function declared(policy: UrlPolicy): OpenApiSource {
  const slices = slicesWith(policy);
  return {
    endpoints: slices.flatMap(({ endpoints }) => endpoints),
    messages: slices.flatMap(({ messages }) => messages),
    errors: ERRORS,
    chapters: CHAPTERS,
    guide: GUIDE,
  };
}

/** Makes all stores of link-api. `creationsPerHour` applies to accounts without their own limit. */
export function postgresLinkApiStores(
  db: Database,
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
type Platform = Omit<ListenerDeps & ShedLoadDeps, 'authentication' | 'counts' | 'errors' | 'noteRefusal'>;

/** What main.ts provides: the ports of all slices, but for what this module makes. */
export type LinkApiPorts = Omit<
  PortsOf<ReturnType<typeof slicesWith>[number]['open']> &
    Platform & { readonly onLateError: (error: unknown) => void },
  'metrics' | 'slotsOf'
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
  const stats = withImportedClicks(mainPorts.stats, mainPorts.imports);
  const ports = { ...mainPorts, stats, metrics, slotsOf: slotsByConcurrency() };
  const slices = slicesWith(ports.urlPolicy).map(({ open }) => open(ports));
  const documents = [docs(declared(ports.urlPolicy), ports)];
  const platform = {
    ...ports,
    counts: apiCounts(metrics),
    errors: ERRORS,
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
