export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls?: { readonly ca?: string };
}

/** `redis://user:password@host:6379/0`, `rediss://` for TLS. ioredis' own reader takes any parameter for one of its options. */
export function redisAddress(url: string, ca?: string): RedisAddress {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !['redis:', 'rediss:'].includes(read.protocol) || read.hostname === '')
    throw new Error('must be like redis://user:password@host:6379/0, or rediss:// for TLS');
  if (read.search !== '' || read.hash !== '') throw new Error('has what follows ? or #, which is not known');
  const [, db] = /^\/?(\d{0,5})$/.exec(read.pathname) ?? [];
  if (db === undefined) throw new Error('has a path that is not the number of a database');
  const tls = read.protocol === 'rediss:';
  return {
    host: decoded(read.hostname).replace(/^\[|\]$/g, ''),
    port: read.port === '' ? 6379 : Number(read.port),
    ...(read.username === '' ? {} : { username: decoded(read.username) }),
    ...(read.password === '' ? {} : { password: decoded(read.password) }),
    db: Number(db),
    ...(tls && { tls: ca === undefined ? {} : { ca } }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that is not written %25');
  }
}

/** What neither of the two settings shows alone. */
export function checkRedis(
  read: { readonly REDIS_URL?: string; readonly REDIS_CA_FILE?: string },
  fault: (name: string, words: string) => void,
): void {
  if (read.REDIS_CA_FILE !== undefined && !/^rediss:/i.test(read.REDIS_URL ?? 'rediss:'))
    fault('REDIS_CA_FILE', 'is for TLS: REDIS_URL must begin with rediss://');
}
