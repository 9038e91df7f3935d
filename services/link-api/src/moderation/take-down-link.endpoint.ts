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
  threat_type: oneOf(THREAT_TYPES).description('The threat type, which visitors of the link see.'),
  reason: reasonField.description('The reason, in one line. The owner of the link can read it.'),
};

export const takeDownLinkEndpoint = endpoint({
  id: 'takeDownLink',
  method: 'POST',
  path: '/admin/links/:slug/take-down',
  scope: 'admin',
  audited: changeOfLink('link.taken_down'),
  summary: 'Take down a link',
  description:
    'Flags a link of any account, unless it is revoked. The link stops redirecting before the response is sent. Only a review can clear the flag.',
  params: { slug: slugParam },
  body: input(takeDownFields, 'TakeDown', 'The take-down.'),
  examples: { 'Imitation of a bank': { threat_type: 'phishing', reason: REASON } },
  answers: {
    200: {
      means: 'The flagged link.',
      schema: linkBody,
      examples: { 'Taken down': { ...presentLink(FLAGGED_EXAMPLE), take_down_reason: REASON } },
    },
  },
  errors: ['link_already_revoked', wrong('Missing reason', { reason: 'is required' }), 'link_not_found'],
  means: { 400: 'The request body is invalid, or the link is revoked.', 404: 'The link was not found.' },
  cli: 'waypost admin take-down --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) => {
    const threat = { threatType: body.threat_type, reason: body.reason };
    return presentLink(await takeDownLink(deps, params.slug, threat, actorOf(caller)));
  },
});
