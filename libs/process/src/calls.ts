/** Two threads call each other's functions: one message is the request, another the response. */
import type { MessagePort, Worker } from 'node:worker_threads';

/** The functions that the other thread may call. Arguments and results are copied as structured clones. */
type CallHandlers = Readonly<Record<string, (argument: never) => unknown>>;

export type Calls = ReturnType<typeof callsOver>;

type Message =
  | { readonly ask: number; readonly name: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: string };

const WITHIN_MS = 2_000;

export function callsOver(port: MessagePort | Worker, handlers: CallHandlers) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let ended: Error | undefined;

  port.on('message', (message: Message) => {
    if ('ask' in message) return void answer(message.ask, message.name, message.argument);
    const caller = waiting.get(message.answer);
    if (caller === undefined) return; // the call has timed out
    if ('error' in message) caller.reject(new Error(message.error));
    else caller.resolve(message.value);
  });

  async function answer(id: number, name: string, argument: unknown): Promise<void> {
    try {
      port.postMessage({ answer: id, value: await handlers[name]!(argument as never) } satisfies Message);
    } catch (error) {
      const description = error instanceof Error ? error.message : String(error);
      port.postMessage({ answer: id, error: description } satisfies Message);
    }
  }

  return {
    /** Rejects with the error of the other thread, or if no response comes within `withinMs`. */
    call<Result = void>(name: string, argument?: unknown, withinMs = WITHIN_MS): Promise<Result> {
      if (ended !== undefined) return Promise.reject(ended);
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const late = setTimeout(
        () => reject(new Error(`no answer to "${name}" from the other thread within ${withinMs} ms`)),
        withinMs,
      );
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      port.postMessage({ ask: id, name, argument } satisfies Message);
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(id);
      });
    },
    /** Rejects all pending and future calls, because the other thread has ended. */
    end(error: Error): void {
      ended = error;
      for (const { reject } of [...waiting.values()]) reject(error);
    },
  };
}
