ALTER TABLE "support_conversations" ADD COLUMN "message_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD COLUMN "open_questions" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD COLUMN "last_question_id" text;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD COLUMN "reply_id" text;--> statement-breakpoint
CREATE INDEX "support_conversations_open" ON "support_conversations" USING btree ("created_at") WHERE "support_conversations"."open_questions" > 0;