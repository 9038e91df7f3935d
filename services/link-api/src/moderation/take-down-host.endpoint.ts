import Joi from 'joi';
import { changeOfLink, FLAGGED_EXAMPLE, linkBody, presentLink, slugParam } from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { list, named, nullable, optional, text, whole } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { ModerationPorts } from './ports.ts';
import { linksToHost, takeDownHost } from './take-down-host.ts';
import { REASON, takeDownFields } from './take-down-link.endpoint.ts';

export const takeDownHostEndpoints = [
  endpoint({
    id: 'listLinksToHost',
    method: 'GET',
    path: '/admin/links/:slug/same-host',
    scope: 'admin',
    share: 'reads',
    summary: "Count an account's links to a host",
    description:
      "What a take-down of all links of this link's account to the host of its destination would change. The audit log notes it.",
    params: { slug: slugParam },
    answers: {
      200: {
        means: 'How many, and the first of them.',
        schema: named('LinksToHost', 'The links of one account to one host that are not revoked or taken down.', {
          owner: Joi.string().description('The e-mail address of the account.'),
          host: Joi.string().description('Without a port, whatever the ports of the links are.'),
          count: whole,
          links: list(linkBody).description('The first of them, at most ten.'),
        }),
        examples: {
          One: { owner: 'ada@example.org', host: 'example.net', count: 1, links: [presentLink(FLAGGED_EXAMPLE)] },
        },
      },
    },
    errors: ['link_not_found'],
    means: { 404: 'There is no such link.' },
    handle: async ({ caller, params: { slug } }, deps: ModerationPorts) => {
      const { ownerId: accountId, host, count, first } = await linksToHost(deps, slug);
      if (accountId !== caller.accountId)
        await deps.audit.read({ by: actorOf(caller), action: 'link.read', subject: slug, accountId });
      const owner = await deps.accounts.credentials({ id: accountId });
      return { owner: owner?.email ?? '', host, count, links: first.map(presentLink) };
    },
  }),
  endpoint({
    id: 'takeDownHost',
    method: 'POST',
    path: '/admin/links/:slug/same-host/take-down',
    scope: 'admin',
    audited: changeOfLink('link.taken_down'),
    summary: "Take an account's links to a host down",
    description:
      "Takes down all links of this link's account to the host of its destination, each as by `POST /admin/links/:slug/take-down`. One call looks at 500 links of the account: call again with `after` until `next` is null. A call that is repeated changes nothing twice.",
    params: { slug: slugParam },
    body: input(
      { ...takeDownFields, after: optional(nullable(text.max(100))).description('`next` of the call before.') },
      'HostTakeDown',
      'Why links are taken down.',
    ),
    examples: { 'A false bank': { threat_type: 'phishing', reason: REASON } },
    answers: {
      200: {
        means: 'These redirect nobody any more.',
        schema: named('HostTakenDown', 'A part of a take-down of many links.', {
          taken_down: whole.description('Links that this call has changed.'),
          next: nullable(Joi.string()).description('`after` of the next call; null: all are done.'),
        }),
        examples: { 'The last part': { taken_down: 12, next: null } },
      },
    },
    errors: [wrong('No reason', { reason: 'is required' }), 'link_not_found'],
    means: { 404: 'There is no such link.' },
    cli: 'waypost admin take-down-host --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
    handle: async ({ caller, params, body }, deps: ModerationPorts) => {
      const threat = { threatType: body.threat_type, reason: body.reason };
      const part = await takeDownHost(deps, params.slug, body.after ?? '', threat, actorOf(caller));
      return { taken_down: part.takenDown, next: part.next };
    },
  }),
];
