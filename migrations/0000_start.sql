CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"plan" text DEFAULT 'standard' NOT NULL,
	"role" text DEFAULT 'user' NOT NULL,
	"banned" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "categories" (
	"slug" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"icon" text NOT NULL,
	"adult" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "directories" (
	"id" text PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"website" text NOT NULL,
	"submission_link" text,
	"icon" text,
	"frame" text,
	"cost" text NOT NULL,
	"type" text NOT NULL,
	"domain_rating" double precision,
	"monthly_visits" double precision,
	"requires_badge" boolean NOT NULL,
	"minimum_price" double precision NOT NULL,
	"submission_experience" text,
	"featured" boolean NOT NULL,
	"categories" text[] NOT NULL,
	"small_description" text,
	"full_description" text,
	"features" json NOT NULL,
	"use_cases" json NOT NULL,
	"faq" json NOT NULL,
	"deal" json,
	"socials" json NOT NULL,
	"published" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directories_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "directory_categories" (
	"slug" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"slug" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"adult" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tools" (
	"id" text PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"tagline" text NOT NULL,
	"description" text NOT NULL,
	"website" text NOT NULL,
	"category" text,
	"tags" text[] NOT NULL,
	"pricing" text NOT NULL,
	"rating" double precision NOT NULL,
	"opens" bigint NOT NULL,
	"featured" boolean NOT NULL,
	"icon" text,
	"frame" text,
	"founder_name" text,
	"founder_email" text,
	"location" text,
	"domain_rating" double precision,
	"is_for_sale" boolean NOT NULL,
	"asking_price" double precision NOT NULL,
	"discount_code" text NOT NULL,
	"affiliate" boolean NOT NULL,
	"affiliate_link" text,
	"screenshots" json NOT NULL,
	"video" text,
	"socials" json NOT NULL,
	"faqs" json NOT NULL,
	"features" json NOT NULL,
	"published" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tools_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "key_settings" (
	"id" text PRIMARY KEY NOT NULL,
	"pepper_fingerprint" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"last4" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"user_id" text,
	"partner_id" text,
	"plan" text,
	"policy_version" text NOT NULL,
	"policy_agreed_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "keys_one_owner" CHECK (("keys"."user_id" is null) <> ("keys"."partner_id" is null))
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"contact_email" text,
	"webhook_url" text,
	"webhook_secret" text NOT NULL,
	"support" text DEFAULT 'off' NOT NULL,
	"banned" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visits" (
	"day" date NOT NULL,
	"tool_id" text NOT NULL,
	"visitor" text NOT NULL,
	CONSTRAINT "visits_day_tool_id_visitor_pk" PRIMARY KEY("day","tool_id","visitor")
);
--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_category_categories_slug_fk" FOREIGN KEY ("category") REFERENCES "public"."categories"("slug") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visits" ADD CONSTRAINT "visits_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "directories_categories" ON "directories" USING gin ("categories");--> statement-breakpoint
CREATE INDEX "tools_category" ON "tools" USING btree ("category");--> statement-breakpoint
CREATE INDEX "tools_tags" ON "tools" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "keys_user" ON "keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "keys_partner" ON "keys" USING btree ("partner_id");