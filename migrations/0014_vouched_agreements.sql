ALTER TABLE "keys" ALTER COLUMN "policy_agreed_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "policy_vouched_by" text;