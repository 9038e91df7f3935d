import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Certificates {
  readonly ca: string;
  readonly otherCa: string;
  readonly cert: string;
  readonly key: string;
  readonly keyAndCert: string;
}

/** Makes two authorities, and a certificate for `localhost` from the first, with openssl. They are valid for a day. */
export function makeCertificates(dir: string): Certificates {
  const at = (name: string) => path.join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];
  for (const name of ['ca', 'other-ca'])
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '1',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.pem`),
    );
  openssl('req', ...key, '-subj', '/CN=waypost test', '-keyout', at('server.key'), '-out', at('server.csr'));
  fs.writeFileSync(at('names'), 'subjectAltName=DNS:localhost\n');
  const sign = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('names')];
  openssl('x509', '-req', '-in', at('server.csr'), ...sign, '-out', at('server.pem'));
  const all = ['server.key', 'server.pem', 'ca.pem'].map((name) => fs.readFileSync(at(name), 'utf8')).join('');
  fs.writeFileSync(at('key-and-cert.pem'), all, { mode: 0o600 });
  return {
    ca: at('ca.pem'),
    otherCa: at('other-ca.pem'),
    cert: at('server.pem'),
    key: at('server.key'),
    keyAndCert: at('key-and-cert.pem'),
  };
}
