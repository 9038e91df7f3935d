import { type Check, setting } from '@waypost/settings';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls?: { readonly ca?: string };
}

/**
 * Reads `redis://user:password@host:6379/0`, or `rediss://` for TLS. ioredis would accept any parameter in the address
 * as one of its options.
 */
export function redisAddress(url: string, ca?: string): RedisAddress {
  const parsedUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (parsedUrl === undefined || !['redis:', 'rediss:'].includes(parsedUrl.protocol) || parsedUrl.hostname === '')
    throw new Error('must be a URL like redis://user:password@host:6379/0, or rediss:// for TLS');
  if (parsedUrl.search !== '' || parsedUrl.hash !== '') throw new Error('must not contain a query (?) or fragment (#)');
  const [, db] = /^\/?(\d{0,5})$/.exec(parsedUrl.pathname) ?? [];
  if (db === undefined) throw new Error('must have no path, or the number of a database');
  const tls = parsedUrl.protocol === 'rediss:';
  return {
    host: decoded(parsedUrl.hostname).replace(/^\[|\]$/g, ''),
    port: parsedUrl.port === '' ? 6379 : Number(parsedUrl.port),
    ...(parsedUrl.username === '' ? {} : { username: decoded(parsedUrl.username) }),
    ...(parsedUrl.password === '' ? {} : { password: decoded(parsedUrl.password) }),
    db: Number(db),
    ...(tls && { tls: ca === undefined ? {} : { ca } }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has an invalid % in its user or password. Write % as %25');
  }
}

export const REDIS = {
  /** The value stays a URL because it is sent to threads, which parse it themselves. */
  REDIS_URL: setting.address(
    'Address of Redis, like `redis://user:password@host:6379/0`, or `rediss://` for TLS.',
    (url) => {
      redisAddress(url);
      return url;
    },
  ),
  REDIS_CA_FILE: setting.pemFile('Certificate authority of Redis.').optional('the authorities of Node.js'),
};

export const checkRedis: Check<typeof REDIS> = ({ redisUrl = 'rediss:', redisCaFile }, fault) => {
  if (redisCaFile !== undefined && !/^rediss:/i.test(redisUrl))
    fault('REDIS_CA_FILE', 'requires TLS: REDIS_URL must begin with rediss://');
};
