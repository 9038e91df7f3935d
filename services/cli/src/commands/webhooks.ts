import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { CHOICES, type NewWebhook } from '@waypost/sdk';
import { addCommand, many, oneOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { showDeliveries, showDelivery, showWebhook, showWebhooks } from '../show.ts';

export function addWebhooks(program: Command, { connect, print }: Session): void {
  const webhooks = program
    .command('webhooks')
    .description('Where the events of your links are sent, and what became of them.')
    .usage('COMMAND [options]');

  addCommand(webhooks, 'list', 'Your webhooks.', ['waypost webhooks list']).action(async (options) => {
    print(options, await connect(options).listWebhooks(), showWebhooks);
  });

  addCommand(
    webhooks,
    'create <URL>',
    'Send events there from now on. The secret that signs them is shown this once.',
    ['waypost webhooks create https://hooks.example.org/waypost --event link.flagged --event link.clicked'],
  )
    .addOption(
      many(
        '--event <E>',
        'link.created, link.revoked, link.flagged, link.cleared or link.clicked; repeated: all of them',
      ),
    )
    .action(async (url, options) => {
      const { event: events = [] } = options;
      if (events.length === 0) throw new UsageError('--event must be given, once or more.');
      print(
        options,
        await connect(options).createWebhook({ url, events: events as NewWebhook['events'] }),
        showWebhook,
      );
    });

  addCommand(webhooks, 'delete <ID>', 'Send nothing more there.', [
    'waypost webhooks delete 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(options, await connect(options).deleteWebhook(idOf(id)), () => 'Deleted. Nothing more is sent there.');
  });

  addCommand(webhooks, 'test <ID>', 'Send a message of the type webhook.test there.', [
    'waypost webhooks test 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(
      options,
      await connect(options).testWebhook(idOf(id)),
      (delivery, look) => `${showDelivery(delivery, look)}\nIt is on its way: waypost webhooks deliveries ${id}`,
    );
  });

  addCommand(webhooks, 'deliveries <ID>', 'What was sent there, the newest first.', [
    'waypost webhooks deliveries 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f --state failed',
  ])
    .addOption(oneOf('state', CHOICES.listWebhookDeliveries.state, 'only these'))
    .addOption(value('--before <DELIVERY>', 'only from before this one'))
    .action(async (id, options) => {
      const { state, before } = options;
      print(options, await connect(options).listDeliveries(idOf(id), { state, before }), showDeliveries);
    });

  addCommand(webhooks, 'replay <ID> <DELIVERY>', 'Send a delivery again, with its id.', [
    'waypost webhooks replay 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e',
  ]).action(async (id, delivery, options) => {
    print(options, await connect(options).replayDelivery(idOf(id), idOf(delivery)), showDelivery);
  });

  addCommand(webhooks, 'rotate <ID>', 'A new secret, shown this once. The earlier one signs for 24 hours more.', [
    'waypost webhooks rotate 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(options, await connect(options).rotateWebhookSecret(idOf(id)), showWebhook);
  });
}

function idOf(argument: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(argument)) throw new UsageError('An id is made of letters, digits, "_" and "-".');
  return argument;
}
