import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { databaseAddress } from '../src/address.ts';

const folder = newFolder();
const pem = path.join(folder, 'ca.pem');
// The address only needs a readable PEM file. tls.stack.ts tests real certificates.
fs.writeFileSync(pem, '-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n');
const noPem = path.join(folder, 'none');
fs.writeFileSync(noPem, 'not a certificate');

test.each([
  ['postgres://u@db/waypost', { host: 'db', port: 5432, user: 'u', database: 'waypost', ssl: false }],
  ['postgresql://u:p%40%2F%25@db:6000', { host: 'db', port: 6000, user: 'u', password: 'p@/%', database: 'waypost' }],
  ['postgres://u:p@[2001:db8::1]:5433/w', { host: '2001:db8::1', port: 5433 }],
  ['postgres://u@/w?host=/run/postgresql', { host: '/run/postgresql', database: 'w' }],
  ['postgres://u@%2Frun%2Fpostgresql/w', { host: '/run/postgresql', database: 'w' }],
  ['postgres://db/w?user=u&password=p%26q&port=6001', { host: 'db', port: 6001, user: 'u', password: 'p&q' }],
  ['postgres://u@db/w?options=-c%20search_path%3Dlinks', { options: '-c search_path=links' }],
  ['postgres://u@db/w?application_name=mine', { applicationName: 'mine' }],
  ['postgres://u@db/w?sslmode=disable', { ssl: false }],
  ['postgres:///?host=db&user=u&dbname=w', { host: 'db', user: 'u', database: 'w' }],
  [
    'postgresql://u:p@ep-x-pooler.aws.neon.tech/w?sslmode=require&channel_binding=require',
    { ssl: { rejectUnauthorized: false }, channelBinding: true, withoutEffect: [] },
  ],
  [
    'postgres://u@db/w?target_session_attrs=read-write&connect_timeout=10&keepalives=1&gssencmode=prefer',
    { host: 'db', withoutEffect: ['connect_timeout', 'keepalives', 'target_session_attrs', 'gssencmode'] },
  ],
  [
    'postgres://u:p@a,b:6000,[2001:db8::1]/w?target_session_attrs=read-write&load_balance_hosts=random',
    {
      hosts: [
        { host: 'a', port: 5432 },
        { host: 'b', port: 6000 },
        { host: '2001:db8::1', port: 5432 },
      ],
      password: 'p',
      database: 'w',
      withoutEffect: ['load_balance_hosts'],
    },
  ],
  [
    'postgres://u@db/w?sslmode=verify-full&sslnegotiation=direct&ssl_min_protocol_version=TLSv1.3',
    { sslnegotiation: 'direct', ssl: { minVersion: 'TLSv1.3' } },
  ],
  // As in libpq, the connection is encrypted, but any server certificate is accepted.
  ['postgres://u@db/w?sslmode=require', { ssl: { rejectUnauthorized: false } }],
  ['postgres://u@db/w?sslmode=verify-full', { ssl: {} }],
  ['postgres://u@db/w?sslmode=verify-full&sslrootcert=system', { ssl: {} }],
  [`postgres://u@db/w?sslmode=verify-full&sslrootcert=${pem}`, { ssl: { ca: fs.readFileSync(pem, 'utf8') } }],
])('%s', (url, expected) => {
  expect(databaseAddress(url)).toMatchObject(expected);
});

test('`verify-ca`, and `require` with an authority, check the certificate but not the name', () => {
  for (const mode of ['require', 'verify-ca']) {
    const { ssl } = databaseAddress(`postgres://u@db/w?sslmode=${mode}&sslrootcert=${pem}`);
    expect(ssl).toEqual({ ca: expect.any(String), checkServerIdentity: expect.any(Function) });
  }
  const full = databaseAddress(`postgres://u@db/w?sslmode=verify-full&sslrootcert=${pem}&sslcert=${pem}&sslkey=${pem}`);
  expect(full.ssl).toEqual({ ca: expect.any(String), cert: expect.any(String), key: expect.any(String) });
});

test.each([
  ['mysql://u@db/w', 'must begin with postgres://'],
  ['postgres://u@db/w?sslmod=verify-full', 'has the unknown parameter sslmod'],
  ['postgres://u@db/w?ssl=true', 'has the unknown parameter ssl'],
  ['postgres://u@db/w?sslmode=prefer', 'does not enforce TLS'],
  ['postgres://u@db/w?sslmode=allow', 'does not enforce TLS'],
  ['postgres://u@db/w?sslmode=verify', 'an unsupported value of sslmode'],
  ['postgres://u@db/w?sslmode=require&channel_binding=requird', 'an unsupported value of channel_binding'],
  ['postgres://u@db/w?channel_binding=require', 'channel_binding=require, which needs an sslmode with TLS'],
  ['postgres://u@db/w?gssencmode=require', 'Use disable, prefer'],
  ['postgres://u@db/w?require_auth=scram-sha-256', 'libpq parameter require_auth, which is not supported'],
  ['postgres://u@db/w?service=main', 'libpq parameter service, which is not supported'],
  ['postgres://u@db/w?sslmode=require&sslmode=disable', 'the parameter sslmode twice'],
  ['postgres://u@db/w?sslmode=', 'the parameter sslmode without a value'],
  ['postgres://u@db/w?sslmode=verify-ca', 'verify-ca, which needs sslrootcert'],
  [`postgres://u@db/w?sslrootcert=${pem}`, 'sslrootcert, which needs an sslmode with TLS'],
  [`postgres://u@db/w?sslmode=verify-full&sslcert=${pem}`, 'both sslcert and sslkey, or neither'],
  [
    'postgres://u@db/w?sslmode=verify-full&sslrootcert=/none',
    'sslrootcert, which points to a file that cannot be read',
  ],
  [`postgres://u@db/w?sslmode=verify-full&sslrootcert=${noPem}`, 'without a PEM certificate'],
  ['postgres://u@/w?host=/run/postgresql&sslmode=require', 'a unix socket cannot use TLS'],
  ['postgres://u@a,b/w', 'several hosts, which need target_session_attrs=read-write'],
  ['postgres://u@a,b/w?target_session_attrs=any', 'several hosts, which need target_session_attrs=read-write'],
  ['postgres://u@a,/w?target_session_attrs=read-write', 'must contain a host'],
  ['postgres://u@/w?host=a,b&target_session_attrs=read-write', 'host:port,host:port before the path'],
  ['postgres://u@db:70000/w', 'not a valid URL'],
  ['postgres://u@db/w?port=0', 'a port from 1 to 65535'],
  ['postgres://db/w', 'must contain a user'],
  ['postgres://u@db/w#x', 'must not contain #'],
])('%s is refused', (url, words) => {
  expect(() => databaseAddress(url)).toThrow(words);
});

test('no message repeats a password', () => {
  for (const url of ['postgres://u:hunter2@db:x/w', 'postgres://u:hunter2@db/w?sslmod=1', 'postgres://u:hun#ter2@db'])
    expect(() => databaseAddress(url)).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/hun|ter2/) }),
    );
});
