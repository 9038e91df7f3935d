/** Runs a real OpenID Connect provider on loopback, and a browser that signs in there as the given person. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface Person {
  readonly subject: string;
  readonly email?: string;
  readonly verified?: boolean;
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Sets the person of the next sign-in. `undefined` cancels it. */
  expect(person: Person | undefined): void;
  /** Follows the address of `begin` as this person's browser does, until the provider redirects back. */
  signIn(url: string, person?: Person): Promise<URL>;
  stop(): Promise<void>;
}

const CLIENT = { clientId: 'waypost', clientSecret: 'the secret of the client' };

/** Serves https at `localhost` if it gets a certificate, otherwise http at 127.0.0.1. */
export async function testProvider(
  redirectUrl: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<TestProvider> {
  const server = (tls === undefined ? http.createServer() : https.createServer(tls)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const people = new Map<string, Person>();
  let current: Person | undefined;

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { warn } = console;
  console.warn = () => undefined; // the provider warns that its storage is in memory
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUrl] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
    cookies: { keys: ['of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, subject) => {
      const person = people.get(subject);
      return {
        accountId: subject,
        claims: () => ({ sub: subject, email: person?.email, email_verified: person?.verified }),
      };
    },
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  console.warn = warn;
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    const result = current === undefined ? { error: 'access_denied' } : { login: { accountId: current.subject } };
    void provider.interactionFinished(request, response, result);
  });

  const expect = (person: Person | undefined) => {
    current = person;
    if (person !== undefined) people.set(person.subject, person);
  };

  return {
    issuer,
    ...CLIENT,
    expect,
    signIn: async (url, person) => {
      expect(person);
      const cookies = new Map<string, string>();
      for (let next = new URL(url); ; ) {
        const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const answered = await fetch(next, { redirect: 'manual', headers: { Cookie } });
        for (const set of answered.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
          cookies.set(name!, value!);
        }
        const location = answered.headers.get('location');
        if (location === null) throw new Error(`the provider answers ${answered.status}: ${await answered.text()}`);
        next = new URL(location, next);
        if (next.href.startsWith(redirectUrl)) return next;
      }
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
