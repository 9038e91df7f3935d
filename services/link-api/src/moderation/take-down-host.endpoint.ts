import Joi from 'joi';
import { changeOfLink, FLAGGED_EXAMPLE, linkBody, presentLink, slugParam } from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { list, named, nullable, optional, text, whole } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { READS } from '../platform/limits.ts';
import type { ModerationPorts } from './ports.ts';
import { linksToHost, takeDownHost } from './take-down-host.ts';
import { REASON, takeDownFields } from './take-down-link.endpoint.ts';

export const takeDownHostEndpoints = [
  endpoint({
    id: 'listLinksToHost',
    method: 'GET',
    path: '/admin/links/:slug/same-host',
    scope: 'admin',
    concurrency: READS,
    summary: 'Preview a take-down by host',
    description:
      'Returns the links that a take-down by host would change: all links of the same account to the same host. The audit log records this request.',
    params: { slug: slugParam },
    answers: {
      200: {
        means: 'The number of links, and the first of them.',
        schema: named('LinksToHost', 'The links of one account to one host that are neither revoked nor taken down.', {
          owner: Joi.string().description('The e-mail address of the account.'),
          host: Joi.string().description('The host, without a port. It includes links with any port.'),
          count: whole,
          links: list(linkBody).description('The first of these links. Maximum: 10.'),
        }),
        examples: {
          One: { owner: 'ada@example.org', host: 'example.net', count: 1, links: [presentLink(FLAGGED_EXAMPLE)] },
        },
      },
    },
    errors: ['link_not_found'],
    means: { 404: 'The link was not found.' },
    handle: async ({ caller, params: { slug } }, deps: ModerationPorts) => {
      const { ownerId: accountId, host, count, first } = await linksToHost(deps, slug);
      if (accountId !== caller.accountId)
        await deps.audit.read({ by: actorOf(caller), action: 'link.read', subject: slug, accountId });
      const owner = await deps.accounts.find(accountId);
      return { owner: owner?.email ?? '', host, count, links: first.map(presentLink) };
    },
  }),
  endpoint({
    id: 'takeDownHost',
    method: 'POST',
    path: '/admin/links/:slug/same-host/take-down',
    scope: 'admin',
    audited: changeOfLink('link.taken_down'),
    summary: 'Take down links by host',
    description:
      'Takes down all links of the same account to the same host, each like `POST /admin/links/:slug/take-down`. One request processes 500 links of the account. Repeat it with `after` until `next` is null. A retry is safe.',
    params: { slug: slugParam },
    body: input(
      {
        ...takeDownFields,
        after: optional(nullable(text.max(100))).description('The cursor: `next` of the previous response.'),
      },
      'HostTakeDown',
      'The take-down.',
    ),
    examples: { 'Imitation of a bank': { threat_type: 'phishing', reason: REASON } },
    answers: {
      200: {
        means: 'These links no longer redirect.',
        schema: named('HostTakenDown', 'The result of one step of the take-down.', {
          taken_down: whole.description('The number of links that this request took down.'),
          next: nullable(Joi.string()).description(
            'The cursor to pass as `after` in the next request. Null if all links are processed.',
          ),
        }),
        examples: { 'Last step': { taken_down: 12, next: null } },
      },
    },
    errors: [wrong('Missing reason', { reason: 'is required' }), 'link_not_found'],
    means: { 404: 'The link was not found.' },
    cli: 'waypost admin take-down-host --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
    handle: async ({ caller, params, body }, deps: ModerationPorts) => {
      const threat = { threatType: body.threat_type, reason: body.reason };
      const part = await takeDownHost(deps, params.slug, body.after ?? '', threat, actorOf(caller));
      return { taken_down: part.takenDown, next: part.next };
    },
  }),
];
