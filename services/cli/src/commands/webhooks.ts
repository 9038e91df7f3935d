import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { WebhookChange } from '@waypost/sdk';
import { isName } from '@waypost/sdk/paths';
import { addCommand, addFlags, addGroup, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showDeliveries, showDelivery, showEndpoint, showWebhook, showWebhooks, withWords } from '../show.ts';

const SWITCHES = {
  enable: 'Enable a webhook. Events that occurred while it was disabled are not sent.',
  disable: 'Disable a webhook until you enable it again.',
};

export function addWebhooks(program: Command, { connect, print }: Session): void {
  const webhooks = addGroup(program, 'webhooks', 'Manage webhooks, which receive the events of your links.');

  addCommand(webhooks, 'list', 'List your webhooks.', ['waypost webhooks list']).action(async (options) => {
    print(options, await connect(options).listWebhooks(), showWebhooks);
  });

  const create = addCommand(webhooks, 'create <URL>', 'Create a webhook. Its signing secret is shown only once.', [
    'waypost webhooks create https://hooks.example.org/waypost --event link.flagged',
  ]);
  addFlags(create, 'createWebhook', 'url').action(async (url, options) => {
    print(options, await connect(options).createWebhook({ ...fieldsOf('createWebhook', options), url }), showWebhook);
  });

  addCommand(webhooks, 'show <ID>', 'Show a webhook and its state.', [
    'waypost webhooks show 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(options, await connect(options).getWebhook(idOf(id)), showEndpoint);
  });

  for (const [name, help] of Object.entries(SWITCHES)) {
    addCommand(webhooks, `${name} <ID>`, help, [
      `waypost webhooks ${name} 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f`,
    ]).action(async (id, options) => {
      const api = connect(options);
      const { url, events } = await api.getWebhook(idOf(id));
      // The events are those of the API: this version may not know them all.
      const change = { url, events, enabled: name === 'enable' } as WebhookChange;
      print(options, await api.changeWebhook(id, change), showEndpoint);
    });
  }

  addCommand(webhooks, 'delete <ID>', 'Delete a webhook.', [
    'waypost webhooks delete 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(
      options,
      await connect(options).deleteWebhook(idOf(id)),
      () => 'Deleted. No more events are sent to this webhook.',
    );
  });

  addCommand(webhooks, 'test <ID>', 'Send an event of type webhook.test to a webhook.', [
    'waypost webhooks test 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f',
  ]).action(async (id, options) => {
    print(options, await connect(options).testWebhook(idOf(id)), (delivery, look) =>
      withWords(look, showDelivery(delivery, look), [
        `The test event is queued. See its delivery: waypost webhooks deliveries ${id}`,
      ]),
    );
  });

  const deliveries = addCommand(webhooks, 'deliveries <ID>', 'List the deliveries of a webhook, newest first.', [
    'waypost webhooks deliveries 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f --state failed',
  ]);
  addFlags(deliveries, 'listWebhookDeliveries').action(async (id, options) => {
    const query = fieldsOf('listWebhookDeliveries', options);
    print(options, await connect(options).listDeliveries(idOf(id), query), showDeliveries);
  });

  addCommand(webhooks, 'replay <ID> <DELIVERY>', 'Resend a delivery under the same id.', [
    'waypost webhooks replay ID msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e',
  ]).action(async (id, delivery, options) => {
    print(options, await connect(options).replayDelivery(idOf(id), idOf(delivery)), showDelivery);
  });

  addCommand(
    webhooks,
    'rotate <ID>',
    'Create a new signing secret, shown only once. The previous one stays valid for 24 hours.',
    ['waypost webhooks rotate 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f'],
  ).action(async (id, options) => {
    print(options, await connect(options).rotateWebhookSecret(idOf(id)), showWebhook);
  });
}

function idOf(argument: string): string {
  if (!isName(argument)) throw new UsageError('An id has only letters, digits, "_" and "-".');
  return argument;
}
