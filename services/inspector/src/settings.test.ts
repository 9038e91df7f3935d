import { expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { INSPECTOR } from './settings.ts';

const read = (servers: string) => readSettings(INSPECTOR, { DEEP_SCAN_DNS: servers }).deepScanDns;

test.each(['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:53'])('a name server may be %s', (server) => {
  expect(read(server)).toEqual([server]);
});

test.each(['999.1.1.1', '1.1.1.1.1', '::::', '192.0.2.1:99999', 'dns.example'])('%s is no name server', (server) => {
  expect(() => read(`192.0.2.1,${server}`)).toThrow(/DEEP_SCAN_DNS.*IP addresses/);
});
