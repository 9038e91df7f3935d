import { SHORTENERS } from '../../data.ts';
import { type Rule, rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** Resolvers that answer DNS over HTTPS at an IP address, on special ports. */
const PUBLIC_RESOLVERS = [
  /^(?:1\.[01]\.[01]\.[0-3]|8\.8\.(?:8\.8|4\.4)|9\.9\.9\.(?:9|10|11)|94\.140\.1[45]\.\d+)$/,
  /^(?:149\.112\.112\.\d+|208\.67\.22[02]\.\d+|45\.90\.\d+\.\d+|76\.76\.\d+\.\d+)$/,
];

/** The usual files of a bot's loader: first-stage scripts, and builds for every processor. */
const BOT_FILES = [
  /\/(?:i|mozi\.[am]|[a-z0-9]{1,12}\.sh)$/i,
  /\/[a-z0-9_.-]*(?:arm(?:v?[4-8])?l?|mips(?:el)?|mpsl|x86(?:_64)?|i[3-6]86|m68k|sh4|ppc|spc|sparc|arc|aarch64)$/i,
];
/** A build named after the processors of routers and cameras. */
const BOT_BINARY = /\.(?:arm(?:[4-7]l?)?|mips(?:el)?|mpsl|m68k|sh4|spc|ppc|x86)$/;
const EXECUTABLE =
  /\.(?:exe|scr|com|pif|bat|cmd|ps1|vbs|vbe|jse?|wsf|hta|lnk|msi|dll|cpl|jar|apk|elf|bin|iso|img)[\s.]*$/i;
/** The list omits files that people publish at an IP address on purpose (images, libraries, scripts of pages). */
const WINDOWS_PAYLOAD = /\.(?:exe|scr|pif|bat|cmd|ps1|vbs|vbe|wsf|hta|lnk|msi|dll|cpl|apk|elf|bin)[\s.]*$/i;
const PACKED = /\.(?:zip|rar|7z|jar)$/i;
const VERSIONED = /[-_.v]\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:-(?:alpha|beta|rc)(?:\.\d{1,3})?)?\.[a-z0-9]+$/i;

/** Ports of well-known services that people run and share by IP address. */
const SERVICE_PORTS = new Set(
  `80 81 82 88 443 591 1080 1880 2052 2053 2082 2083 2086 2087 2095 2096 3000 3001 3128 4000 4040 4200 4443 5000 5001
   5053 5173 5601 6080 6443 7000 7001 7070 7080 7443 7474 7681 7777 8000 8001 8002 8008 8010 8020 8042 8050 8069 8080
   8081 8082 8083 8086 8088 8089 8090 8091 8096 8112 8123 8161 8180 8181 8200 8222 8333 8384 8400 8443 8444 8500 8501
   8545 8581 8686 8765 8774 8775 8776 8787 8800 8834 8880 8883 8888 8889 8920 8983 8989 9000 9001 9002 9042 9080 9090
   9091 9093 9100 9117 9200 9292 9393 9443 9696 9999 10000 10443 15672 16686 18080 18789 19999 20000 25565 27015
   30000 30120 32400 50000 51821`.split(/\s+/),
);

/** Services whose names resolve to the address written in the name. */
const NAMES_ADDRESSES = /(?:nip\.io|sslip\.io|xip\.io|traefik\.me)$/;

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

function hasOddPort({ url }: Subject): boolean {
  return url.port !== '' && !SERVICE_PORTS.has(url.port);
}

/** Keeps a trailing dot, because it makes another spelling of the address. */
function writtenHost(raw: string): string {
  const authority = /^[^/?#]*/.exec(raw.slice(raw.indexOf('//') + 2))![0];
  return authority.replace(/:\d*$/, '').toLowerCase();
}

export const ADDRESS_RULES: readonly Rule[] = [
  rule('ip-payload', 'flag', 100, { threatType: 'malware' }, (subject) => {
    if (!subject.isIp) return undefined;
    const file = lastSegment(subject.path);
    return matches(BOT_FILES, file) || WINDOWS_PAYLOAD.test(file)
      ? `${subject.host} serves ${fileOf(subject.path)}`
      : undefined;
  }),
  rule('bot-binary', 'flag', 100, { threatType: 'malware', version: 2 }, ({ isIp, isRanked, path }) =>
    !isIp && !isRanked && BOT_BINARY.test(lastSegment(path)) ? fileOf(path) : undefined,
  ),
  rule('ip-odd-port', 'flag', 100, { threatType: 'malware' }, (subject) => {
    if (!subject.isIp || !hasOddPort(subject) || matches(PUBLIC_RESOLVERS, subject.host)) return undefined;
    return `${subject.host} on port ${subject.url.port}`;
  }),
  rule('ip-obfuscated', 'flag', 100, { threatType: 'suspicious', version: 2 }, ({ isIp, host, raw }) => {
    if (!isIp || host.startsWith('[')) return undefined;
    const written = writtenHost(raw);
    return written === host ? undefined : `${written} stands for ${host}`;
  }),
  rule('ip-host', 'warn', 50, { threatType: 'suspicious' }, ({ isIp, host }) =>
    isIp && !matches(PUBLIC_RESOLVERS, host) ? host : undefined,
  ),
  rule('free-hosting-executable', 'flag', 100, { threatType: 'malware' }, (subject) => {
    const { isFreeHosting, tenant, path } = subject;
    return isFreeHosting && WINDOWS_PAYLOAD.test(lastSegment(path)) ? `${tenant} serves ${fileOf(path)}` : undefined;
  }),
  rule('executable-download', 'warn', 25, { threatType: 'malware', version: 2 }, (subject) => {
    const { isRanked, isFreeHosting, path } = subject;
    return !isRanked && !isFreeHosting && EXECUTABLE.test(lastSegment(path)) ? fileOf(path) : undefined;
  }),
  // Attackers commit a named and versioned archive to a repository that nobody looks at, and link to the file. Honest
  // projects publish archives as releases.
  rule('archive-in-repository', 'warn', 60, { threatType: 'malware' }, ({ host, path }) => {
    if (host !== 'github.com' && host !== 'raw.githubusercontent.com') return undefined;
    if (!path.includes('/refs/heads/') || path.includes('/archive/')) return undefined;
    const file = path.slice(path.lastIndexOf('/') + 1);
    if (!PACKED.test(file) && !WINDOWS_PAYLOAD.test(file)) return undefined;
    return { evidence: `a branch with ${fileOf(path)}`, weight: VERSIONED.test(file) ? 100 : 60 };
  }),
  rule('shortener', 'warn', 10, { threatType: 'suspicious', version: 2 }, ({ host, domain, path }) =>
    /^\/[^/]+\/?$/.test(path) && (SHORTENERS.has(host) || SHORTENERS.has(domain))
      ? `${host} leads elsewhere`
      : undefined,
  ),
  rule('names-an-address', 'warn', 30, { threatType: 'suspicious' }, ({ host }) => {
    if (!NAMES_ADDRESSES.test(host)) return undefined;
    const match = /(?:^|[.-])((?:\d{1,3}[.-]){3}\d{1,3})[.-]/.exec(host);
    return match === null ? undefined : `${host} resolves to ${match[1]!.replaceAll('-', '.')}`;
  }),
];

/** Includes the slash. Unlike a pattern for the end of a path, this takes linear time. */
function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/'));
}

function fileOf(path: string): string {
  return JSON.stringify(path.slice(path.lastIndexOf('/') + 1).slice(0, 80));
}
