import { isTime, LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { list, named, nullable, optional, problem, text, whole, wholeParameter } from './fields.ts';

/** JavaScript represents every number of up to fifteen digits exactly. */
const MAX_PAGE = 999_999_999_999_999;

export const paging = {
  page: wholeParameter(1, MAX_PAGE, '1')
    .optional()
    .default(1)
    .description('The page to return, starting at 1.')
    .example(1),
  limit: wholeParameter(1, LIMITS.pageSize)
    .optional()
    .default(LIMITS.defaultPageSize)
    .description('The number of entries per page.')
    .example(25),
};

/** The cursor of lists that have no total count and show the newest entries first. */
export const before = optional(
  text
    .max(18)
    .custom((value: string, helpers) =>
      /^[1-9]\d*$/.test(value) ? value : problem(helpers, 'must be the `next` of a previous page'),
    ),
)
  .meta({ pattern: '^[1-9][0-9]{0,17}$' })
  .description('The cursor: `next` of the previous page. Returns only older entries.')
  .example('4711');

const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';

/** A day or a time. Its description says what begins then. */
export const since = optional(text.max(30))
  .custom((value: string, helpers) =>
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/.test(value) && isTime(value)
      ? value
      : problem(helpers, 'must be a date, or a time such as 2026-11-21T00:00:00Z'),
  )
  .meta({ pattern: `^${DAY}(T${CLOCK}(\\.[0-9]{1,3})?Z)?$` })
  .example('2026-11-21');

export const partOf = <T>(name: string, description: string, item: Joi.AnySchema<T>) =>
  named(name, description, {
    data: list(item),
    next: nullable(Joi.string()).description(
      'The cursor to pass as `before` for the next page. Null on the last page.',
    ),
  });

/** Expects one row more than the page shows. The extra row means that there is a next page. */
export function presentPart<R extends { readonly id: string }, T>(
  rows: readonly R[],
  limit: number,
  present: (row: R) => T,
) {
  const page = rows.slice(0, limit);
  return { data: page.map(present), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

export const pageOf = <T>(name: string, item: Joi.AnySchema<T>, example: unknown, limit: number) => ({
  200: {
    means: 'The page.',
    schema: named(name, 'A page of a list.', {
      data: list(item).description('The entries of the page. Empty past the last page.'),
      total: whole.description('The number of matching entries on all pages.'),
      page: Joi.number().integer().min(1).description('The requested page.'),
      limit: Joi.number()
        .integer()
        .min(1)
        .max(LIMITS.pageSize)
        .description('The requested number of entries per page.'),
      total_pages: whole.description('The number of pages. 0 if no entry matches.'),
    }),
    examples: { Page: { data: [example], total: 1, page: 1, limit, total_pages: 1 } },
  },
});

export function presentPage<T>({ page, limit }: { page: number; limit: number }, data: readonly T[], total: number) {
  return { data, total, page, limit, total_pages: Math.ceil(total / limit) };
}
