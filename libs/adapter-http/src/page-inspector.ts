import type { Inspection, PageInspector } from '@waypost/ports';
import type { DependencyState } from '@waypost/telemetry';
import { jsonClient } from './json-client.ts';

export interface HttpPageInspector extends PageInspector {
  /** Whether the inspector answers. Never rejects. */
  health(): Promise<DependencyState>;
  stop(): void;
}

/** A page's signs: an address, a title and the address of an icon, all cut by the inspector. */
const ANSWER_MAX_BYTES = 64 * 1024;
/** For the way to the inspector and back. */
const ON_THE_WAY_MS = 2_000;

/** The inspector in another process, at `url`: `POST /inspect`. What it answers is hostile, and so is it, in the worst case. */
export function httpPageInspector({ url }: { readonly url: string }): HttpPageInspector {
  const client = jsonClient({ url, answerMaxBytes: ANSWER_MAX_BYTES });
  return {
    async inspect(asked, withinMs) {
      const ms = Math.ceil(withinMs);
      const answer = await client.send('POST', '/inspect', { url: asked, within_ms: ms }, ms + ON_THE_WAY_MS);
      if (answer.status !== 200 || !isInspection(answer.body))
        throw new Error(`the inspector answered ${answer.status} and nothing of use`);
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
