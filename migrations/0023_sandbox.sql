CREATE TABLE "sandbox_submissions" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"tool_id" text NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"website" text NOT NULL,
	"website_key" text NOT NULL,
	"pricing" text NOT NULL,
	"category" jsonb NOT NULL,
	"tags" jsonb NOT NULL,
	"payment_type" text,
	"state" text,
	"notes" text NOT NULL,
	"rows" jsonb NOT NULL,
	"parts" integer NOT NULL,
	"next_step_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "support_conversations_external";--> statement-breakpoint
DROP INDEX "support_conversations_open";--> statement-breakpoint
DROP INDEX "support_messages_peer";--> statement-breakpoint
DROP INDEX "webhook_deliveries_pending";--> statement-breakpoint
DROP INDEX "webhook_deliveries_attempted";--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD COLUMN "test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD COLUMN "sample_reply_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "support_messages" ADD COLUMN "test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_submissions" ADD CONSTRAINT "sandbox_submissions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_submissions_website" ON "sandbox_submissions" USING btree ("partner_id","website_key");--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_submissions_slug" ON "sandbox_submissions" USING btree ("partner_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_submissions_tool" ON "sandbox_submissions" USING btree ("partner_id","tool_id");--> statement-breakpoint
CREATE INDEX "sandbox_submissions_partner" ON "sandbox_submissions" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "sandbox_submissions_created" ON "sandbox_submissions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sandbox_submissions_step" ON "sandbox_submissions" USING btree ("next_step_at") WHERE "sandbox_submissions"."next_step_at" is not null;--> statement-breakpoint
CREATE INDEX "support_conversations_test" ON "support_conversations" USING btree ("updated_at") WHERE "support_conversations"."test";--> statement-breakpoint
CREATE INDEX "support_conversations_sample" ON "support_conversations" USING btree ("sample_reply_at") WHERE "support_conversations"."sample_reply_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_test" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."test";--> statement-breakpoint
CREATE UNIQUE INDEX "support_conversations_external" ON "support_conversations" USING btree ("partner_id","test","external_id");--> statement-breakpoint
CREATE INDEX "support_conversations_open" ON "support_conversations" USING btree ("created_at") WHERE "support_conversations"."open_questions" > 0 and not "support_conversations"."test";--> statement-breakpoint
CREATE UNIQUE INDEX "support_messages_peer" ON "support_messages" USING btree ("partner_id","test","peer_message_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("partner_id","test","created_at") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_attempted" ON "webhook_deliveries" USING btree ("partner_id","test","attempted_at");