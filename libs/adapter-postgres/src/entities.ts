/** Rows as EntitySchema, not decorators. `migrations/` defines the tables. */
import type { Link } from '@waypost/domain';
import type { AccountDetails } from '@waypost/ports';
import { EntitySchema } from 'typeorm';

export type AccountRow = AccountDetails & { readonly passwordHash: string | null };

export const Accounts = new EntitySchema<AccountRow>({
  name: 'Account',
  tableName: 'accounts',
  columns: {
    id: { type: 'uuid', primary: true, generated: 'uuid' },
    email: { type: 'text' },
    admin: { type: 'boolean' },
    passwordHash: { name: 'password_hash', type: 'text', nullable: true },
    creationsPerHour: { name: 'creations_per_hour', type: 'integer', nullable: true },
    suspendedAt: { name: 'suspended_at', type: 'timestamptz', nullable: true, precision: 3 },
    suspensionReason: { name: 'suspension_reason', type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true, precision: 3 },
  },
});

/** `id`: bigint as a decimal string. */
export type LinkRow = Link & { readonly id: string };

export const Links = new EntitySchema<LinkRow>({
  name: 'Link',
  tableName: 'links',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    slug: { type: 'text' },
    ownerId: { name: 'owner_id', type: 'uuid' },
    destinationUrl: { name: 'destination_url', type: 'text' },
    status: { type: 'text' },
    threatType: { name: 'threat_type', type: 'text', nullable: true },
    takeDownReason: { name: 'take_down_reason', type: 'text', nullable: true },
    tags: { type: 'text', array: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    revokedAt: { name: 'revoked_at', type: 'timestamptz', nullable: true, precision: 3 },
    scannedAt: { name: 'scanned_at', type: 'timestamptz', precision: 3 },
    scanGeneration: { name: 'scan_generation', type: 'text' },
    deepScan: { name: 'deep_scan', type: 'text', nullable: true },
    previewFirst: { name: 'preview_first', type: 'boolean' },
    version: { type: 'integer' },
  },
});
