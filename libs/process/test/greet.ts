import { DomainError } from '@waypost/domain';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';

export const greetings: OperatorCommands<unknown> = {
  greet: operatorCommand({
    help: 'Greet somebody.',
    options: {
      name: { type: 'string', required: true, value: 'N', help: 'whom' },
      loud: { type: 'boolean', help: 'loudly' },
      tone: { type: 'string', oneOf: ['warm', 'cold'], help: 'how' },
    },
    run: async ({ name, loud, tone }) => ({ greeting: `${name}${loud ? '!' : ''}${tone ?? ''}` }),
    describe: ({ greeting }) => `It said ${greeting}.`,
  }),
  'import-feed': operatorCommand({
    help: 'Count the characters of a file.',
    options: {
      content: { type: 'string', from: 'file', required: true, value: 'FILE', help: 'the file, or - for stdin' },
      name: { type: 'string', required: true, value: 'N', help: 'of the feed' },
    },
    run: async ({ content }) => ({ characters: content.length }),
    describe: ({ characters }) => `${characters} characters`,
  }),
  fail: operatorCommand({
    help: 'Fail.',
    options: {},
    run: async () => {
      throw new Error('broken');
    },
    describe: () => '',
  }),
  refuse: operatorCommand({
    help: 'Refuse.',
    options: {},
    run: async () => {
      throw new DomainError('validation_failed', 'no', { details: { name: 'is \u202e wrong' } });
    },
    describe: () => '',
  }),
};
