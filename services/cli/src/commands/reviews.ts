import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, addGroup, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showCase, showCases } from '../show-administration.ts';
import { slugOf } from './slug.ts';

export function addReviews(program: Command, { connect, print }: Session): void {
  const reviews = addGroup(program, 'reviews', 'Request reviews of your flagged links.');

  const list = addCommand(reviews, 'list', 'List your review requests, newest first.', [
    'waypost reviews list --state open',
  ]);
  addFlags(list, 'listReviewRequests').action(async (options) => {
    const query = fieldsOf('listReviewRequests', options);
    print(options, await connect(options).call('listReviewRequests', { query }), showCases);
  });

  const request = addCommand(reviews, 'request <SLUG>', 'Request a review of a flagged link.', [
    'waypost reviews request spring-menu --message "This is our own menu."',
  ]);
  addFlags(request, 'requestReview').action(async (slug, options) => {
    print(options, await connect(options).requestReview(slugOf(slug), options.message), showCase);
  });
}
