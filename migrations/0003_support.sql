CREATE TABLE "support_articles" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text,
	"position" integer NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_conversations" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"external_id" text,
	"status" text NOT NULL,
	"customer" jsonb,
	"metadata" jsonb,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "support_messages_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"conversation_id" text NOT NULL,
	"partner_id" text NOT NULL,
	"role" text NOT NULL,
	"source" text,
	"content" text NOT NULL,
	"author" text,
	"peer_message_id" text,
	"answers_id" text,
	"passages" jsonb,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "support_articles" ADD CONSTRAINT "support_articles_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_conversations" ADD CONSTRAINT "support_conversations_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_messages" ADD CONSTRAINT "support_messages_conversation_id_support_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."support_conversations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_messages" ADD CONSTRAINT "support_messages_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "support_articles_partner" ON "support_articles" USING btree ("partner_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "support_conversations_external" ON "support_conversations" USING btree ("partner_id","external_id");--> statement-breakpoint
CREATE INDEX "support_conversations_partner" ON "support_conversations" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "support_conversations_status" ON "support_conversations" USING btree ("status","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "support_messages_peer" ON "support_messages" USING btree ("partner_id","peer_message_id");--> statement-breakpoint
CREATE INDEX "support_messages_conversation" ON "support_messages" USING btree ("conversation_id","number");