CREATE TABLE "queue_views" (
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "queue_views_owner_name_pk" PRIMARY KEY("owner","name")
);
--> statement-breakpoint
CREATE TABLE "support_desks" (
	"conversation_id" text PRIMARY KEY NOT NULL,
	"assignee" text,
	"internal_notes" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_saved_replies" (
	"title" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "name_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "tagline_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "short_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "long_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "tags_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "support_desks" ADD CONSTRAINT "support_desks_conversation_id_support_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."support_conversations"("id") ON DELETE cascade ON UPDATE no action;