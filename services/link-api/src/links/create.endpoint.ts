import type { UrlPolicy } from '@waypost/domain';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { create, creationQuery, DRY_RUNS_EXCEEDED } from './creation.endpoint.ts';
import { CREATIONS } from './limits.ts';
import {
  checkedBody,
  createdBody,
  FLAGGED_EXAMPLE,
  LINK_EXAMPLE,
  presentCreated,
  UNMADE_EXAMPLE,
} from './links.schema.ts';
import { newLink, newLinkInput } from './new-link.schema.ts';
import type { LinksPorts } from './ports.ts';

export const createLinkEndpoint = (policy: UrlPolicy) =>
  endpoint({
    id: 'createLink',
    method: 'POST',
    path: '/links',
    scope: 'write',
    concurrency: CREATIONS,
    creates: true,
    summary: 'Create a link',
    description:
      'Creates a short link. Its destination is scanned first: if it is flagged, the link is created but does not redirect, and the response has a `warning`. Creating a link to the same destination again creates a second link.',
    query: creationQuery,
    body: newLinkInput(policy),
    examples: {
      'Random slug': { destination_url: 'https://www.wikipedia.org/', tags: ['docs'] },
      'Custom slug': { destination_url: 'https://www.wikipedia.org/', custom_slug: 'spring-menu' },
    },
    answers: {
      201: {
        means: 'The link was created.',
        schema: createdBody,
        examples: {
          Active: presentCreated(LINK_EXAMPLE, '{redirect_base_url}'),
          Flagged: presentCreated(FLAGGED_EXAMPLE, '{redirect_base_url}'),
        },
      },
      200: {
        means: 'With `dry_run=true`: what would be created.',
        schema: checkedBody,
        examples: { 'Dry run': presentCreated(UNMADE_EXAMPLE, '{redirect_base_url}') },
      },
    },
    errors: [
      wrong('Invalid URL and reserved slug', {
        destination_url: 'must be an absolute URL that begins with http:// or https://',
        custom_slug: 'is reserved',
      }),
      wrong('Misspelled field', { customSlug: 'is not a known field' }),
      'slug_taken',
      'idempotency_key_reused',
      'idempotency_key_in_use',
      'quota_exceeded',
      DRY_RUNS_EXCEEDED,
    ],
    means: {
      400: 'A field or parameter is invalid, or the JSON is malformed.',
      409: 'The custom slug is taken, or the `Idempotency-Key` cannot be used.',
    },
    cli: 'waypost create https://www.wikipedia.org/ --tag docs',
    handle: (request, deps: LinksPorts) =>
      create(request, deps, { links: [newLink(request.body)], isBatch: false }, ([link], total) =>
        presentCreated(link!, deps.redirectBaseUrl, total),
      ),
  });
