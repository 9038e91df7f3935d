import { THREAT_TYPES } from '@waypost/domain';
import { changeOfLink, FLAGGED_EXAMPLE, linkBody, presentLink, slugParam } from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { oneOf, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { ModerationPorts } from './ports.ts';
import { takeDownLink } from './take-down-link.ts';

export const REASON = 'It copies the page of a bank.';
export const takeDownFields = {
  threat_type: oneOf(THREAT_TYPES).description('What visitors are told that it is suspected of.'),
  reason: reasonField.description('The owner reads it with the link. One line.'),
};

export const takeDownLinkEndpoint = endpoint({
  id: 'takeDownLink',
  method: 'POST',
  path: '/admin/links/:slug/take-down',
  scope: 'admin',
  audited: changeOfLink('link.taken_down'),
  summary: 'Take a link down',
  description:
    'Flags a link of any account that is not revoked. After the 200 no visitor is sent to its destination. Only a review clears it.',
  params: { slug: slugParam },
  body: input(takeDownFields, 'TakeDown', 'Why a link is taken down.'),
  examples: { 'A false bank': { threat_type: 'phishing', reason: REASON } },
  answers: {
    200: {
      means: 'The link as it is now.',
      schema: linkBody,
      examples: { 'Taken down': { ...presentLink(FLAGGED_EXAMPLE), take_down_reason: REASON } },
    },
  },
  errors: ['link_already_revoked', wrong('No reason', { reason: 'is required' }), 'link_not_found'],
  means: { 400: 'The body is wrong, or the link is revoked.', 404: 'There is no such link.' },
  cli: 'waypost admin take-down --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) => {
    const threat = { threatType: body.threat_type, reason: body.reason };
    return presentLink(await takeDownLink(deps, params.slug, threat, actorOf(caller)));
  },
});
