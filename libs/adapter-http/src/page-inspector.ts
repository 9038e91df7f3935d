import type { Inspection, PageInspector } from '@waypost/ports';
import type { DependencyState } from '@waypost/telemetry';
import { jsonClient } from './json-client.ts';

export interface HttpPageInspector extends PageInspector {
  /** Checks that the inspector answers. Never rejects. */
  health(): Promise<DependencyState>;
  stop(): void;
}

/** A response has two addresses and a title, all of limited length. */
const ANSWER_MAX_BYTES = 64 * 1024;
/** The network gets this much time in addition to the time limit of the inspection. */
const ON_THE_WAY_MS = 2_000;

/**
 * Calls `POST /inspect` of the inspector at `url`. Its response must be treated as hostile: it repeats what a page
 * says, and a page may have taken over the inspector.
 */
export function httpPageInspector({ url }: { readonly url: string }): HttpPageInspector {
  const client = jsonClient({ url, answerMaxBytes: ANSWER_MAX_BYTES });
  return {
    async inspect(request, withinMs) {
      const ms = Math.ceil(withinMs);
      const answer = await client.send('POST', '/inspect', { url: request, within_ms: ms }, ms + ON_THE_WAY_MS);
      if (answer.status !== 200 || !isInspection(answer.body))
        throw new Error(`the inspector returned status ${answer.status} without a usable result`);
      return answer.body;
    },
    health: () => client.health('/healthz', ON_THE_WAY_MS),
    stop: () => client.stop(),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

function isInspection(value: unknown): value is Inspection {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, location, status, title, hasPassword, icon, program, why } = value as Record<string, unknown>;
  if (kind === 'redirect') return isText(location);
  if (kind === 'refused' || kind === 'failed') return isText(why);
  return (
    kind === 'page' &&
    typeof status === 'number' &&
    isText(title) &&
    typeof hasPassword === 'boolean' &&
    isTextOrNull(icon) &&
    isTextOrNull(program)
  );
}
