import { type Check, decodedLogin, setting } from '@waypost/settings';

/**
 * Reads `redis://user:password@host:6379/0`, or `rediss://` for TLS. Several hosts, or `?cluster`, are a Redis Cluster;
 * with `?sentinel=NAME` they are Sentinels. ioredis would accept any parameter in the address as one of its options.
 */
export function redisAddress(url: string, ca?: string) {
  const [, start, authority = '', rest] = /^(rediss?:\/\/)([^/?#]+)(.*)$/is.exec(url) ?? [];
  const hostsAt = authority.lastIndexOf('@') + 1;
  const user = authority.slice(0, hostsAt);
  const hosts = authority.slice(hostsAt).split(',');
  const parsedUrls = hosts.map((host) => URL.parse(`${start}${user}${host}${rest}`));
  const [first] = parsedUrls;
  if (!first || parsedUrls.some((each) => !each?.hostname))
    throw new Error(
      'must be a URL like redis://user:password@host:6379/0, with several hosts separated by commas, or rediss:// for TLS',
    );
  const [, sentinel] = /^\?sentinel=([\w.-]{1,100})$/.exec(first.search) ?? [];
  if ((first.search !== '' && first.search !== '?cluster' && sentinel === undefined) || first.hash !== '')
    throw new Error('must not contain a fragment (#) or a query (?), except ?cluster or ?sentinel=NAME');
  const kind = sentinel !== undefined ? 'sentinel' : first.search !== '' || parsedUrls.length > 1 ? 'cluster' : 'one';
  const [, db] = /^\/?(\d{0,5})$/.exec(first.pathname) ?? [];
  if (db === undefined) throw new Error('must have no path, or the number of a database');
  if (kind === 'cluster' && Number(db) !== 0) throw new Error('must have no database: a Redis Cluster has only 0');
  return {
    kind,
    nodes: parsedUrls.map((each) => ({
      host: decodedLogin(each!.hostname).replace(/^\[|\]$/g, ''),
      port: each!.port === '' ? (kind === 'sentinel' ? 26379 : 6379) : Number(each!.port),
    })),
    /** The name of the master that the Sentinels watch. */
    master: sentinel,
    /** What is the same for all nodes. */
    login: {
      ...(first.username === '' ? {} : { username: decodedLogin(first.username) }),
      ...(first.password === '' ? {} : { password: decodedLogin(first.password) }),
      db: Number(db),
      ...(first.protocol === 'rediss:' && { tls: ca === undefined ? {} : { ca } }),
    },
  };
}

export const REDIS = {
  /** The value stays a URL because it is sent to threads, which parse it themselves. */
  REDIS_URL: setting.address(
    'Address of Redis, like `redis://user:password@host:6379/0`, or `rediss://` for TLS. Several hosts (`a:6379,b:6379`) or `?cluster`: a Redis Cluster; `?sentinel=NAME`: the Sentinels of this master.',
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
