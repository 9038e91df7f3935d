import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from '@jest/globals';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: string;
  readonly text: string;
}

/** Starts a mail server on loopback, for one file of tests. */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  let refusal: string | undefined;
  let unknown: string | undefined;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, done) =>
      done(address === unknown ? Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 }) : null),
    onData: async (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      const [headers = '', ...rest] = (await text(stream)).split('\r\n\r\n');
      if (refusal !== undefined) return done(Object.assign(new Error(refusal), { responseCode: 451 }));
      const from = mailFrom === false ? '' : mailFrom.address;
      received.push({ from, to: rcptTo.map(({ address }) => address), headers, text: rest.join('\r\n\r\n') });
      done();
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    /** Refuses the content of each mail for now. Undefined accepts it again. */
    refuse: (why: string | undefined) => {
      refusal = why;
    },
    /** Refuses this address for now. Undefined accepts it again. */
    refuseAddress: (address: string | undefined) => {
      unknown = address;
    },
  };
}
