import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { configure, fireEvent, render, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import type { Account } from '../src/api.ts';
import { LiveRegion } from '../src/components/index.ts';
import { DraftsProvider } from '../src/drafts.tsx';

// The default time limit of one second is too short for a busy machine.
configure({ asyncUtilTimeout: 10_000 });

export const account: Account = {
  email: 'ada@example.com',
  admin: false,
  has_password: true,
  scopes: ['admin'],
  redirect_base_url: 'https://way.example',
  quota: { limit: 300, used: 0, resets_at: '2030-01-01T00:00:00.000Z' },
};

export const link = (slug: string, status = 'active') => ({
  slug,
  destination_url: 'https://www.example.com/',
  status,
  threat_type: null,
  tags: [],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  revoked_at: null,
  title: null,
  note: null,
  ends_at: null,
});

interface Sent {
  readonly what: string;
  readonly query: string;
  readonly key: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of this JSON
  readonly body: any;
}

/** Undefined means that the connection breaks before an answer. */
export type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>] | undefined;
export type Answers = Record<string, (sent: Sent) => Answer | Promise<Answer>>;

/**
 * Renders `part` with a server that has these answers, by method and path. Returns the list of the requests sent so
 * far.
 */
export function show(part: ReactNode, answers: Answers): Sent[] {
  const all: Sent[] = [];
  globalThis.fetch = async (input, init) => {
    const { pathname, search: query } = new URL(String(input));
    const what = `${init?.method} ${pathname}`;
    const body = init?.body === undefined ? undefined : JSON.parse(String(init.body));
    const sent = { what, query, key: new Headers(init?.headers).get('Idempotency-Key'), body };
    all.push(sent);
    const answer = await answers[what]?.(sent);
    if (answer === undefined) throw new TypeError('fetch failed');
    const [status, json, headers = {}] = answer;
    return new Response(JSON.stringify(json), { status, headers });
  };
  const queries = new QueryClient({
    defaultOptions: { mutations: { networkMode: 'always' }, queries: { retry: false } },
  });
  render(
    <QueryClientProvider client={queries}>
      <LiveRegion>
        <DraftsProvider>{part}</DraftsProvider>
      </LiveRegion>
    </QueryClientProvider>,
  );
  return all;
}

export const refusal = (details: object, message = 'Refused.', error = 'bad_request') => ({ error, message, details });

/** While a dialog is open, nothing outside it can be pressed. */
const inFront = () => [...document.querySelectorAll('dialog')].at(-1) ?? document.body;
export function button(name: string): HTMLElement {
  const buttons = [...inFront().querySelectorAll('button')];
  const one = buttons.find(({ ariaLabel, textContent }) => (ariaLabel ?? textContent) === name);
  if (one === undefined) throw new TypeError(`There is no button "${name}".`);
  return one;
}
export const press = (name: string) => fireEvent.click(button(name));
export const pressTwice = (name: string) => {
  press(name);
  press(name);
};
export const see = (text: string | RegExp) => screen.findAllByText(text).then(([first]) => first!);
export const hidden = (text: string | RegExp) => screen.queryByText(text) === null;
export const field = (label: string) => within(inFront()).getByLabelText<HTMLInputElement>(label);
export const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });

export async function fileOf(act: () => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  URL.createObjectURL = (blob) => {
    resolve((blob as Blob).text());
    return 'blob:';
  };
  act();
  return promise;
}

export function setOnline(isOnline: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: isOnline });
}
