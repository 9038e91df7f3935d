import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type ChangedWebhook, once, type RotatedWebhook, type WebhookEndpoint } from '../api.ts';
import { ConfirmDialog, isGone, isMissing, ShownOnce } from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { WebhookForm } from './webhook-form.tsx';

const t = words.webhooks;

export type Open = 'change' | 'rotate' | 'delete' | RotatedWebhook | ChangedWebhook;

interface WebhookDialogProps {
  readonly webhook: WebhookEndpoint;
  readonly open: Open;
  readonly onOpen: (open: Open | undefined) => void;
}

export function WebhookDialog({ webhook, open, onOpen }: WebhookDialogProps) {
  const { id } = webhook;
  const queries = useQueryClient();
  const refresh = useRefresh(['webhook', id], ['webhooks'], ['deliveries', id]);
  const listChanged = useRefresh(['webhooks']);
  const [, go] = useLocation();
  const onClose = () => onOpen(undefined);
  if (typeof open === 'object') {
    return (
      <ShownOnce
        title={t.once}
        why={'old_secret_until' in open ? fill(t.rotatedWhy, { until: asMoment(open.old_secret_until) }) : t.movedWhy}
        secret={open.secret ?? ''}
        copied={t.copied}
        stored={t.stored}
        onClose={onClose}
      />
    );
  }
  if (open === 'change') {
    return (
      <WebhookForm
        title={t.changeTitle}
        submitLabel={t.save}
        webhook={webhook}
        send={(change) => once.changeWebhook(id, { ...change, enabled: webhook.enabled })}
        onSent={(webhook) => {
          void refresh(t.saved);
          if (webhook.secret !== null) onOpen(webhook);
        }}
        onClose={onClose}
      />
    );
  }
  return open === 'rotate' ? (
    <ConfirmDialog
      title={t.rotateTitle}
      why={t.rotateWhy}
      cancelLabel={t.rotateKeep}
      submitLabel={t.rotateAct}
      isFinal={false}
      send={() => once.rotateWebhookSecret(id)}
      onSent={onOpen}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog<unknown>
      title={t.deleteTitle}
      why={t.deleteWhy}
      cancelLabel={t.keep}
      submitLabel={t.deleteAct}
      send={() => once.deleteWebhook(id)}
      lookUp={() => isGone(once.getWebhook(id), isMissing)}
      onSent={() => {
        void listChanged(t.deleted);
        // The webhook no longer exists, so a refetch now would fail. The query is only marked as stale.
        void queries.invalidateQueries({ queryKey: ['webhook', id], refetchType: 'none' });
        go(screens.webhooks);
      }}
      onClose={onClose}
    />
  );
}
