import type { RequestHandler, Router } from 'express';
import type { Endpoint } from '../endpoint.ts';
import { HttpError } from './errors.ts';

type Method = Lowercase<Endpoint['method']>;

/** Answers 405 with `Allow` if the method is not declared. */
export function route(
  router: Router,
  path: string | string[],
  methods: { readonly [M in Method]?: RequestHandler | readonly RequestHandler[] },
): void {
  const address = router.route(path);
  for (const [method, handlers] of Object.entries(methods)) address[method as Method](...[handlers].flat());
  const names = Object.keys(methods).flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]));
  const allow = names.sort().join(', ');
  address.all((_request, response) => {
    response.setHeader('Allow', allow);
    throw new HttpError(405, `This path supports only ${allow}.`);
  });
}
